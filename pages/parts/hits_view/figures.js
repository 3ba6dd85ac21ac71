// What the view says at any m, from the record that core/topics/view.py packs. Nothing here touches the page.

const UNKNOWN = -32768; // stands for NaN
const ARRAYS = { 1: Int8Array, 2: Int16Array, 4: Int32Array };

/** Integers from base64, after the size of one in bytes. */
export function numbers(packed) {
  const bytes = Uint8Array.from(atob(packed.slice(1)), (letter) => letter.charCodeAt(0));
  return new ARRAYS[packed[0]](bytes.buffer);
}

/** The record with its arrays unpacked. */
export function readView(data) {
  const view = { ...data };
  for (const [name, value] of Object.entries(data)) {
    if (typeof value === "string") view[name] = numbers(value);
  }
  for (const name of ["band", "other", "optimum"]) {
    if (!data[name]) continue;
    view[name] = { ...data[name] };
    for (const [part, value] of Object.entries(data[name])) {
      if (typeof value === "string" && part !== "name") view[name][part] = numbers(value);
    }
  }
  view.count = data.names.length;
  view.blocks = view.edges.length - 1;
  view.merged = mergedUpTo(view);
  view.moveStarts = starts(view);
  view.changes = view.moves.length > 0;
  view.mergedCurve = view.changes && view.mean.some((value) => value !== UNKNOWN);
  return view;
}

/** For every m how many topics are merged into kept ones. */
function mergedUpTo(view) {
  const coming = new Int32Array(view.placed + 1);
  for (const since of view.since) if (since > 0) coming[since] += 1;
  let staying = 0;
  return Array.from({ length: view.placed }, (_, at) => (staying += coming[at + 1]) - (at + 1));
}

/** Where the moves of each topic begin among all. */
function starts(view) {
  const first = new Int32Array(view.count + 1);
  for (let at = 0; at < view.moves.length; at += 3) first[view.moves[at] + 1] += 3;
  for (let topic = 0; topic < view.count; topic++) first[topic + 1] += first[topic];
  return first;
}

export function clampM(view, m) {
  return Math.min(Math.max(Math.round(m) || 1, 1), view.placed);
}

/** Thousandths as core writes them, or null where they are not known. */
export function shown(thousandths) {
  return thousandths === undefined || thousandths === UNKNOWN ? null : (thousandths / 1000).toFixed(3);
}

export function counted(number) {
  return number.toLocaleString("en-US");
}

/** The cards at m. `here` is what the server computed for the one m it knows, where no other is known. */
export function figuresAt(view, m, here = null) {
  const at = m - 1;
  const known = here && here.m === m;
  const [topics, documents, authors] = view.totals;
  const middle = (quantiles) => (view.band && m > 1 ? shown(quantiles[view.placed + at]) : null);
  return {
    m,
    topics,
    documents: view.documents[at],
    documentsLost: documents - view.documents[at],
    authors: view.authors ? view.authors[at] : null,
    people: view.words.people,
    authorsLost: view.authors ? authors - view.authors[at] : null,
    mean: known ? here.mean : shown(view.mean[at]),
    max: known ? here.max : shown(view.max[at]),
    randomMean: middle(view.band?.mean),
    randomMax: middle(view.band?.max),
    merged: view.merged[at],
    fromLeast: m > 1 && view.optimum && !view.changes ? fromLeast(view, at) : null,
  };
}

/** How far the highest similarity of HITS is from the least possible one, in words. */
function fromLeast(view, at) {
  const [here, found, bound] = [view.pathMax[at], view.optimum.max[at], view.optimum.bound[at]];
  if (view.optimum.proven[at]) return here > found ? `${shown(here - found)} above the optimum` : "the optimum";
  if (here > found) return `at least ${shown(here - found)} above the optimum`;
  return bound === UNKNOWN ? null : `at most ${shown(here - bound)} above the optimum`;
}

/** Where the m topics stand among random samples, in the words of core. */
export function sentenceAt(view, m) {
  if (!view.band || m < 2) return "";
  const words = m === view.placed ? "all" : view.merged[m - 1] > 0 ? "merged" : "some";
  return view.words[words]
    .replaceAll("{m}", m)
    .replace("{mean}", counted(view.band.meanAbove[m - 1]))
    .replace("{max}", counted(view.band.maxAbove[m - 1]));
}

/** The kept topic that a topic counts under at m: itself, another, or −1. */
export function targetAt(view, topic, m) {
  if (topic < m) return topic;
  let target = -1;
  for (let at = view.moveStarts[topic]; at < view.moveStarts[topic + 1] && view.moves[at + 1] <= m; at += 3) {
    target = view.moves[at + 2];
  }
  return target;
}

/** Percentage of bootstrap samples in which a topic is among the first m; null without a bootstrap. */
export function shareAt(view, topic, m) {
  if (!view.steps) return null;
  let low = topic * view.draws;
  let high = low + view.draws;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (view.steps[middle] < m) low = middle + 1;
    else high = middle;
  }
  return halfEven(((low - topic * view.draws) / view.draws) * 100);
}

/** Rounded as Python rounds: a half goes to the even number. */
function halfEven(value) {
  const floor = Math.floor(value);
  const rest = value - floor;
  return rest < 0.5 || (rest === 0.5 && floor % 2 === 0) ? floor : floor + 1;
}

/** The two kept topics that are most similar at m, or null. */
export function closestPair(view, m) {
  let best = -1;
  for (let topic = 1; topic < m; topic++) {
    if (best < 0 || view.closest_similarity[topic] > view.closest_similarity[best]) best = topic;
  }
  return best < 0 ? null : [view.closest[best], best];
}

/** What becomes of a topic at m, in a few words. */
export function fateAt(view, topic, m) {
  if (topic >= view.placed) return "too few documents to compare";
  if (topic < m) return `kept, step ${topic + 1}`;
  const target = targetAt(view, topic, m);
  return target < 0 ? "dropped" : `merged into ${view.names[target]}`;
}

/** A topic's name and figures at m, in one line. */
export function describe(view, topic, m) {
  const parts = [`${view.names[topic]}: ${fateAt(view, topic, m)}`, `${counted(view.sizes[topic])} documents`];
  const leakage = shown(view.leakage[topic]);
  if (leakage !== null) parts.push(`leakage when taken ${leakage}`);
  if (view.closest[topic] >= 0 && topic < view.placed) {
    parts.push(`most similar to ${view.names[view.closest[topic]]} (${shown(view.closest_similarity[topic])}) of those before it`);
  }
  const share = shareAt(view, topic, m);
  if (share !== null && topic < view.placed) parts.push(`among the first ${m} in ${share}% of bootstrap samples`);
  return parts.join(" · ");
}

/** What a screen reader says of m. */
export function spoken(view, m, here = null) {
  const now = figuresAt(view, m, here);
  const parts = [`${m} of ${view.totals[0]} topics`, `${counted(now.documents)} documents`];
  if (now.mean !== null) parts.push(`mean similarity ${now.mean}`);
  if (now.max !== null) parts.push(`maximum ${now.max}`);
  return parts.join(", ");
}

/** The first topic from `start` on whose name holds the words, round to the beginning; −1 for none. */
export function findTopic(view, words, start) {
  const wanted = words.trim().toLowerCase();
  for (let step = 0; wanted && step < view.count; step++) {
    const topic = (start + step) % view.count;
    if (view.names[topic].toLowerCase().includes(wanted)) return topic;
  }
  return -1;
}

/** What a cell of the matrix says: two topics, or two blocks of the path. */
export function cellWords(view, row, column) {
  const value = shown(view.cells[row * view.blocks + column]);
  const block = (at) => {
    const [first, last] = [view.edges[at], view.edges[at + 1] - 1];
    return first === last ? view.names[first] : `steps ${first + 1} to ${last + 1}`;
  };
  if (value === null) return block(row);
  const alone = view.blocks === view.placed;
  return `${block(row)} – ${block(column)}: ${alone ? "" : "mean "}similarity ${value}`;
}
