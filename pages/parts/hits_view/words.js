// Words on a canvas: written, and cut so that they fit.

const LONG_WORD = 14; // letters

export function write(pen, words, x, y, look, { align = "left", base = "middle", colour = look.soft, weight = "" } = {}) {
  pen.font = `${weight} ${look.size}px ${look.font}`.trim();
  Object.assign(pen, { fillStyle: colour, textAlign: align, textBaseline: base });
  pen.fillText(words, x, y);
}

/** The words cut so that they fit, with an ellipsis. */
export function fitted(pen, words, room) {
  if (pen.measureText(words).width <= room) return words;
  let [low, high] = [0, words.length];
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (pen.measureText(`${words.slice(0, middle)}…`).width <= room) low = middle;
    else high = middle - 1;
  }
  return `${words.slice(0, low).trimEnd()}…`;
}

/** Names cut so that each fits and no two come out the same: those that would keep a beginning and, after an ellipsis, what
 *  tells them apart. */
export function fittedAll(pen, names, room) {
  const labels = names.map((name) => fitted(pen, name, room));
  const tellApart = (topics, known) => {
    const sameLabel = new Map();
    for (const topic of topics) sameLabel.get(labels[topic])?.push(topic) ?? sameLabel.set(labels[topic], [topic]);
    for (const group of sameLabel.values()) {
      const [first, ...others] = group.map((topic) => names[topic]);
      const shared = sharedBeginning(first, others);
      if (shared <= known || others.every((name) => name === first)) continue; // nothing more to show, or no room for it
      let start = wordBefore(first, shared);
      const rest = Math.max(...group.map((topic) => pen.measureText(names[topic].slice(start)).width)) / room;
      const head = fitted(pen, first, room * (rest > 0.55 && rest <= 0.75 ? 0.25 : 0.45));
      const fits = (from) => group.every((topic) => pen.measureText(`${head}${names[topic].slice(from)}`).width <= room);
      for (let from = start; from >= head.length && fits(from); from = wordBefore(first, from - 1)) start = from;
      for (const topic of group) labels[topic] = fitted(pen, `${head}${names[topic].slice(start)}`, room);
      tellApart(group, shared);
    }
  };
  tellApart([...names.keys()], 0);
  makeUnique(pen, names, labels, room);
  return labels;
}

/** Names that begin differently may still have come out the same: the later ones show another of their words. */
function makeUnique(pen, names, labels, room) {
  const taken = new Map();
  labels.forEach((label, topic) => {
    const name = names[topic];
    if (taken.has(label) && taken.get(label) !== name) {
      const head = fitted(pen, name, room * 0.45);
      const tries = [...name.matchAll(/ /g)].map(({ index }) => fitted(pen, `${head}${name.slice(index + 1)}`, room));
      labels[topic] = tries.find((each) => !taken.has(each)) ?? label;
    }
    taken.set(labels[topic], name);
  });
}

/** Where the word that a letter is in begins; of a long one, the letter before. */
function wordBefore(name, letter) {
  const start = name.lastIndexOf(" ", letter - 1) + 1;
  return letter - start > LONG_WORD ? letter - 1 : start;
}

/** How many letters all begin with. */
function sharedBeginning(first, others) {
  let shared = 0;
  while (shared < first.length && others.every((name) => name[shared] === first[shared])) shared += 1;
  return shared;
}
