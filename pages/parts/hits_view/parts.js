// The elements of the view: cards, slider, charts with their buttons. Names of topics are only ever text.

export function make(name, attributes = {}, ...children) {
  const element = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (key === "text") element.textContent = value;
    else if (key === "class") element.className = value;
    else element.setAttribute(key, value);
  }
  element.append(...children);
  return element;
}

const CARDS = ["Topics kept", "Documents kept", "Max similarity"];

/** The cards, and what each says of the figures at m. */
export function makeCards() {
  const cards = CARDS.map((label) => {
    const [value, below] = [make("span", { class: "value" }), make("span", { class: "below" })];
    const card = make("div", { class: "card", "data-card": label }, make("span", { class: "label", text: label }), value, below);
    return { card, value, below };
  });
  const say = (index, value, below) => {
    cards[index].value.textContent = value;
    cards[index].below.textContent = below;
  };
  const beside = (random) => (random === null ? "of pairs kept" : `random ${random}`);
  // What belongs to the value itself comes first, in a separate line: beside the random value it would be misread.
  const similarity = (index, now) => {
    const lines = [...(now.fromLeast === null ? [] : [now.fromLeast]), beside(now.randomMax)];
    if (now.mean !== null) lines.push(`mean ${now.mean}, ${beside(now.randomMean)}`);
    if (now.max !== null) say(index, now.max, lines.join("\n"));
    else say(index, "–", now.m < 2 ? "one topic, no pair" : "computed on release");
  };
  return {
    element: make("div", { class: "cards" }, ...cards.map(({ card }) => card)),
    show(now, counted) {
      say(0, counted(now.m), `of ${counted(now.topics)}`);
      const authors = now.authors === null ? "" : `\n${counted(now.authors)} ${now.people}, ${counted(now.authorsLost)} lost`;
      say(1, counted(now.documents), `${counted(now.documentsLost)} dropped${authors}`);
      similarity(2, now);
    },
  };
}

/** The slider with its label, its value, and a mark at the suggested m. */
export function makeSlider() {
  const input = make("input", { type: "range", id: "m", min: 1, step: 1 });
  const [value, mark] = [make("output", { for: "m" }), make("span", { class: "mark" })];
  const label = make("label", { for: "m", text: "Topics to keep (m)" });
  const [less, more] = [make("span", { class: "end" }), make("span", { class: "end" })];
  const track = make("div", { class: "track" }, input, mark);
  const element = make("div", { class: "slider" }, make("div", { class: "said" }, label, value), track, make("div", { class: "ends" }, less, more));
  return {
    element,
    input,
    span(placed, suggested) {
      Object.assign(input, { max: placed });
      [less.textContent, more.textContent] = ["1", placed.toLocaleString("en-US")];
      mark.hidden = suggested === null;
      if (suggested === null) return;
      const share = (suggested - 1) / Math.max(placed - 1, 1);
      mark.textContent = `suggested ${suggested}`;
      mark.style.left = `calc(${share} * (100% - 18px) + 9px)`;
      mark.dataset.side = share > 0.85 ? "left" : share < 0.15 ? "right" : "middle";
    },
    show(m, words) {
      input.value = m;
      input.style.setProperty("--share", (m - 1) / Math.max(input.max - 1, 1));
      input.setAttribute("aria-valuetext", words);
      value.textContent = m.toLocaleString("en-US");
    },
  };
}

/** A chart: its heading, a canvas that is as wide as its place, and buttons that save it. */
export function makeChart(name, title, { height, save }) {
  const canvas = make("canvas", { role: "img" });
  const buttons = ["png", "svg"].map((format) => {
    const button = make("button", { type: "button", text: format.toUpperCase(), "aria-label": `${title} as ${format.toUpperCase()}` });
    button.onclick = () => save(name, format);
    return button;
  });
  const heading = make("figcaption", {}, make("strong", { text: title }), make("span", { class: "save" }, ...buttons));
  const place = make("div", { class: "place" }, canvas);
  place.style.height = `${height}px`;
  return { element: make("figure", { class: name }, heading, place), canvas, place, pen: canvas.getContext("2d"), layer: null };
}

/** Buttons of which one is pressed: which chart is shown where there is room for one only. */
export function makeChoice(label, names, choose) {
  const buttons = Object.entries(names).map(([name, words]) => {
    const button = make("button", { type: "button", text: words, "data-chart": name });
    button.onclick = () => choose(name);
    return button;
  });
  return {
    element: make("div", { class: "one", role: "group", "aria-label": label }, ...buttons),
    show(name, absent) {
      for (const button of buttons) {
        button.setAttribute("aria-pressed", button.dataset.chart === name);
        button.hidden = absent.includes(button.dataset.chart);
      }
    },
  };
}

/** Hand a file to the browser. */
export function saveFile(blob, name) {
  const link = make("a", { href: URL.createObjectURL(blob), download: name });
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}

/** Red, green and blue of any colour that CSS knows. */
function channels(colour) {
  const pen = make("canvas", { width: 1, height: 1 }).getContext("2d", { willReadFrequently: true });
  pen.fillStyle = colour;
  pen.fillRect(0, 0, 1, 1);
  return [...pen.getImageData(0, 0, 1, 1).data.slice(0, 3)];
}

const mixed = (from, to, share) => from.map((value, at) => Math.round(value + (to[at] - value) * share));

/** Colours and letters of the current theme; more is always further from the ground. */
export function themed(host, colours) {
  const style = getComputedStyle(host);
  const of = (name, otherwise) => style.getPropertyValue(name).trim() || otherwise;
  const [text, ground] = [of("--st-text-color", "#1d2733"), of("--st-background-color", "#ffffff")];
  const [ink, paper, blue, grey] = [text, ground, colours.blue, colours.grey].map(channels);
  const css = (parts) => `rgb(${parts.join(",")})`;
  return {
    ...colours,
    text: css(ink),
    ground: css(paper),
    soft: css(mixed(paper, ink, 0.76)),
    grid: css(mixed(paper, ink, 0.14)),
    band: css(mixed(paper, blue, 0.2)),
    ramp: (share) => (share < 0.6 ? mixed(mixed(paper, blue, 0.06), blue, share / 0.6) : mixed(blue, ink, (share - 0.6) / 0.4)),
    greys: (share) => mixed(mixed(paper, grey, 0.05), mixed(paper, grey, 0.75), share),
    font: of("--st-font", "sans-serif"),
    size: 12,
  };
}
