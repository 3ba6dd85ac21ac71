// The HITS page under the hand: the slider and all that follows from it, drawn here; the server hears of m on release.

const TITLES = {
  curve: "Similarity among the kept topics",
  path: "The HITS path",
  map: "Kept topics on the map",
  matrix: "Similarity of every two topics",
};
const SHORT = { curve: "Similarity", path: "Path", map: "Map", matrix: "Matrix" }; // on a telephone one at a time is shown
const HEIGHTS = { curve: 320, path: 452, map: 440, matrix: 440 }; // pixels; of the path half a row shows that it goes on
const QUIET = 150; // milliseconds without a step after which a key or a finger counts as released
const MOST_SAVED = 150; // rows of the path in a picture

class View {
  constructor(parent) {
    this.known = this.m = this.here = this.chosen = this.tell = null;
    this.sent = [];
    this.pending = false;
    this.cards = makeCards();
    this.slider = makeSlider();
    this.charts = {};
    for (const [name, title] of Object.entries(TITLES)) {
      this.charts[name] = makeChart(name, title, { height: HEIGHTS[name], save: (...which) => this.save(...which) });
    }
    this.one = makeChoice("Chart shown", SHORT, (name) => {
      this.only(name);
      this.renew();
    });
    this.rows = make("div", { class: "charts" }, ...Object.values(this.charts).map(({ element }) => element));
    this.sentence = make("p", { class: "sentence" });
    this.details = make("p", { class: "details" });
    this.live = make("p", { class: "unseen", "aria-live": "polite" });
    this.tip = make("div", { class: "tip", hidden: "" });
    this.search = make("input", { type: "search", placeholder: "Find a topic", "aria-label": "Find a topic" });
    this.root = make(
      "div",
      { class: "view" },
      make("div", { class: "head" }, this.slider.element, this.cards.element),
      this.sentence,
      this.one.element,
      this.rows,
      this.live,
      this.tip,
    );
    this.charts.curve.element.append(make("div", { class: "choice" }, this.search, this.details));
    this.scroller();
    this.listen();
    parent.append(this.root);
    this.watchers = [new ResizeObserver(() => this.renew()), new IntersectionObserver((entries) => this.noteSeen(entries))];
    this.watchers[0].observe(this.root);
    for (const { place } of Object.values(this.charts)) this.watchers[1].observe(place);
  }

  /** The path is a list that scrolls: a canvas as high as its place, over a strip as high as the list. */
  scroller() {
    const { place, canvas } = this.charts.path;
    this.strip = make("div", { class: "strip" });
    place.classList.add("scroller");
    Object.entries({ tabindex: "0", role: "group", "aria-label": `${TITLES.path}; arrow keys choose a topic` }).forEach((pair) => place.setAttribute(...pair));
    this.strip.append(canvas);
    place.append(this.strip);
    place.onscroll = () => this.ask();
    place.onkeydown = (event) => {
      const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
      if (!step) return;
      event.preventDefault();
      this.choose(this.chosen === null ? 0 : Math.min(Math.max(this.chosen + step, 0), this.view.count - 1));
    };
  }

  listen() {
    this.slider.input.oninput = () => this.move(Number(this.slider.input.value));
    this.slider.input.onchange = () => this.release();
    this.search.oninput = () => this.find(0);
    this.search.onkeydown = (event) => event.key === "Enter" && this.find((this.chosen ?? -1) + 1);
    for (const [name, { canvas }] of Object.entries(this.charts)) {
      canvas.onclick = (event) => this.click(name, event.offsetX, event.offsetY);
      canvas.onmousemove = (event) => this.point(name, event);
      canvas.onmouseleave = () => (this.tip.hidden = true);
    }
  }

  /** What the server sends: a view, and the m it knows. An m of ours on its way back must not move the slider. */
  update(data, tell) {
    this.tell = tell;
    if (data.key !== this.key) {
      this.key = data.key;
      this.view = readView(data.view);
      this.highest = this.view.leakage.reduce((most, value) => Math.max(most, value), 10) * 1.02;
      this.slider.span(this.view.placed, this.view.suggested);
      this.strip.style.height = `${path.height(this.view)}px`;
      this.charts.path.place.style.height = `${Math.min(path.height(this.view) + 2, HEIGHTS.path)}px`;
      this.charts.map.element.hidden = !this.view.places;
      this.only(this.charts[this.rows.dataset.one]?.element.hidden ? "curve" : (this.rows.dataset.one ?? "curve"));
      if (this.chosen >= this.view.count) this.chosen = null;
    }
    this.data = data;
    this.here = data.here;
    const returned = this.sent.indexOf(data.m);
    if (returned >= 0) this.sent.splice(0, returned + 1);
    else if (data.m !== this.known || this.m === null) {
      this.sent = [];
      this.m = clampM(this.view, data.m);
    }
    this.known = data.m;
    this.m = clampM(this.view, this.m);
    this.renew();
  }

  /** Show this chart where there is room for one only. */
  only(name) {
    this.rows.dataset.one = name;
    this.one.show(name, this.view.places ? [] : ["map"]);
  }

  move(m) {
    this.m = clampM(this.view, m);
    this.follow();
    this.ask();
  }

  /** Tell the server, once the hand rests. */
  release() {
    clearTimeout(this.waiting);
    this.waiting = setTimeout(() => {
      this.live.textContent = `${spoken(this.view, this.m, this.here)}. ${sentenceAt(this.view, this.m)}`;
      if (this.m === (this.sent.at(-1) ?? this.known)) return;
      this.sent.push(this.m);
      this.tell("m", this.m);
    }, QUIET);
  }

  choose(topic) {
    this.chosen = topic;
    if (topic !== null) {
      this.live.textContent = describe(this.view, topic, this.m);
      this.reveal(topic);
    }
    this.ask();
  }

  find(start) {
    const topic = findTopic(this.view, this.search.value, start);
    this.choose(topic < 0 ? null : topic);
    if (topic < 0 && this.search.value.trim()) this.details.textContent = "No topic has this in its name.";
  }

  /** Scroll the list so that a row shows. */
  reveal(row) {
    const { place } = this.charts.path;
    const [top, bottom] = [row * ROW, (row + 3) * ROW];
    if (top < place.scrollTop) place.scrollTop = top;
    else if (bottom > place.scrollTop + place.clientHeight) place.scrollTop = bottom - place.clientHeight;
  }

  /** While m moves, the end of what is kept stays in sight. */
  follow() {
    this.reveal(this.m);
    this.reveal(Math.max(this.m - 2, 0));
  }

  click(name, x, y) {
    if (name === "curve") {
      const m = curve.hit(this.view, this.sizeOf("curve"), x);
      if (m !== null) {
        this.move(m);
        this.release();
      }
      return;
    }
    const topic = this.topicAt(name, x, y);
    this.choose(topic === this.chosen ? null : topic);
  }

  topicAt(name, x, y) {
    if (name === "map") return map.hit(this.points, x, y);
    if (name === "path") return path.hit(this.view, this.charts.path.place.scrollTop, y);
    const blocks = name === "matrix" ? matrix.hit(this.view, this.sizeOf("matrix"), x, y) : null;
    return blocks && this.view.blocks === this.view.placed ? blocks[0] : null;
  }

  point(name, event) {
    const words = this.pointed(name, event.offsetX, event.offsetY);
    this.tip.hidden = !words;
    if (!words) return;
    this.tip.textContent = words;
    const box = this.root.getBoundingClientRect();
    const left = Math.min(event.clientX - box.left + 12, this.root.clientWidth - this.tip.offsetWidth - 4);
    Object.assign(this.tip.style, { left: `${Math.max(left, 0)}px`, top: `${event.clientY - box.top + 16}px` });
  }

  pointed(name, x, y) {
    if (name === "curve") {
      const m = curve.hit(this.view, this.sizeOf("curve"), x);
      if (m === null) return null;
      return spoken(this.view, clampM(this.view, m), this.here);
    }
    if (name === "matrix") {
      const blocks = matrix.hit(this.view, this.sizeOf("matrix"), x, y);
      return blocks && cellWords(this.view, ...blocks);
    }
    const topic = this.topicAt(name, x, y);
    return topic === null ? null : describe(this.view, topic, this.m);
  }

  sizeOf(name) {
    const { place } = this.charts[name];
    return { width: place.clientWidth, height: place.clientHeight };
  }

  /** Another size, theme or view: draw everything again. */
  renew() {
    if (!this.view || !this.root.clientWidth) return;
    this.look = themed(this.root, this.data.colours);
    const { place } = this.charts.matrix;
    place.style.height = `${Math.min(place.clientWidth + 8, HEIGHTS.matrix)}px`; // a square, its title and its key
    this.pictures = matrixPictures(this.view, this.look);
    this.cut = { path: this.cutTo(path.room(this.view, this.sizeOf("path").width)) };
    if (this.view.places) {
      const size = this.sizeOf("map");
      this.cut.map = this.cutTo(size.width * 0.36);
      this.points = mapPoints(this.view, size);
      this.labels = this.placed(size);
    }
    for (const chart of Object.values(this.charts)) chart.layer = null;
    this.draw();
  }

  placed(size) {
    const { pen } = this.charts.map;
    pen.font = `${this.look.size}px ${this.look.font}`;
    return placeLabels(this.points, (topic) => pen.measureText(this.cut.map[topic]).width + 2, size);
  }

  /** All names cut to this many pixels, kept for the next call. */
  cutTo(room) {
    const { pen } = this.charts.map;
    const font = `${this.look.size}px ${this.look.font}`;
    const asked = `${font} ${room}`;
    if (this.cutOf !== this.view) [this.cutOf, this.cuts] = [this.view, new Map()];
    pen.font = font;
    if (!this.cuts.has(asked)) this.cuts.set(asked, fittedAll(pen, this.view.names, room));
    return this.cuts.get(asked);
  }

  /** Only what is on the screen is drawn, and what comes onto it. */
  noteSeen(entries) {
    for (const chart of Object.values(this.charts)) {
      for (const { target, isIntersecting } of entries) if (target === chart.place) chart.away = !isIntersecting;
    }
    if (this.view) this.ask();
  }

  ask() {
    if (this.pending) return;
    this.pending = true;
    requestAnimationFrame(() => this.draw());
  }

  draw() {
    this.pending = false;
    const { view, m } = this;
    const now = figuresAt(view, m, this.here);
    this.cards.show(now, counted);
    this.slider.show(m, spoken(view, m, this.here));
    this.sentence.textContent = sentenceAt(view, m);
    this.details.textContent = this.chosen === null ? "Click a topic anywhere for its figures." : describe(view, this.chosen, m);
    const state = this.state(now);
    for (const [name, { element, away }] of Object.entries(this.charts)) if (!element.hidden && !away) this.drawChart(name, state);
    this.root.dataset.drawn = m;
  }

  state(now) {
    const { view, m } = this;
    return {
      m, now, ticks, write, fitted,
      chosen: this.chosen,
      top: this.charts.path.place.scrollTop,
      highest: this.highest,
      share: (topic) => shareAt(view, topic, m),
      target: (topic) => targetAt(view, topic, m),
      pair: now.merged ? null : closestPair(view, m),
      points: this.points, labels: this.labels, pictures: this.pictures, cut: this.cut,
    };
  }

  drawChart(name, state) {
    const chart = this.charts[name];
    drawOn(chart, DRAWINGS[name], this.sizeOf(name), this.view, this.look, state);
    chart.canvas.setAttribute("aria-label", `${TITLES[name]}. ${spoken(this.view, this.m, this.here)}.`);
  }

  /** One chart as a file, at m and in the colours of the page; of a long path its first rows. */
  save(name, format) {
    const size = this.sizeOf(name);
    if (name === "path") size.height = path.height({ count: Math.min(this.view.count, MOST_SAVED) });
    const state = { ...this.state(figuresAt(this.view, this.m, this.here)), top: 0 };
    const hand = (blob) => saveFile(blob, `hits_m${this.m}_${name}.${format}`);
    picture(format, DRAWINGS[name], size, this.view, this.look, state, hand);
  }
}

const views = new WeakMap();

export default function ({ data, parentElement, setTriggerValue }) {
  if (!views.has(parentElement)) views.set(parentElement, new View(parentElement));
  const view = views.get(parentElement);
  view.update(data, setTriggerValue);
  return () => {
    view.watchers.forEach((watcher) => watcher.disconnect());
    clearTimeout(view.waiting);
  };
}
