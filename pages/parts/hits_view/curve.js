// Similarity against m, and the path as a list. `still` is drawn once for a size, `moving` again for every m.

const MARGIN = { left: 38, right: 12, bottom: 36 };
const roof = (view) => (view.mergedCurve || view.other || view.optimum ? 62 : 46); // room for the key
const GAP = 14;
export const ROW = 22; // pixels of a line of the path
const HEAD = 22;

/** Round values between two ends, about `most` of them. */
export function ticks(low, high, most) {
  const rough = (high - low) / most || 1;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].map((each) => each * power).find((each) => each >= rough);
  const first = Math.ceil(low / step - 1e-9);
  const last = Math.floor(high / step + 1e-9);
  return Array.from({ length: Math.max(last - first + 1, 0) }, (_, at) => (first + at) * step);
}

export function straight(pen, x0, y0, x1, y1, colour, { width = 1, dash = [] } = {}) {
  Object.assign(pen, { strokeStyle: colour, lineWidth: width });
  pen.setLineDash(dash);
  pen.beginPath();
  pen.moveTo(x0, y0);
  pen.lineTo(x1, y1);
  pen.stroke();
  pen.setLineDash([]);
}

/** The lowest and the highest value that is drawn, and some room round them. */
function extent(view, series) {
  let [low, high] = [1000, -1000];
  for (const { what, values, path } of series) {
    for (const list of [values, path, view.band?.[what], view.other?.[what], view.optimum?.[what]]) {
      for (const value of list ?? []) if (value > -32768) [low, high] = [Math.min(low, value), Math.max(high, value)];
    }
  }
  if (view.line !== null) [low, high] = [Math.min(low, view.line * 1000), Math.max(high, view.line * 1000)];
  const room = Math.max(high - low, 20) * 0.06;
  return [low - room, high + room];
}

/** Both panels' places and scales: mean on the left, max on the right, one axis of similarity. */
function panels(view, { width, height }) {
  const series = ["mean", "max"].map((what) => ({ what, values: view[what], path: view[`path${what === "mean" ? "Mean" : "Max"}`] }));
  const [low, high] = (view.extent ??= extent(view, series));
  const across = (width - MARGIN.left - MARGIN.right - GAP) / 2;
  const y = (value) => height - MARGIN.bottom - ((value - low) / (high - low)) * (height - roof(view) - MARGIN.bottom);
  const first = Math.min(2, view.placed);
  return series.map((each, index) => {
    const left = MARGIN.left + index * (across + GAP);
    const x = (m) => left + ((m - first) / Math.max(view.placed - first, 1)) * across;
    const mOf = (pixel) => first + ((pixel - left) / across) * (view.placed - first);
    return { ...each, left, across, x, y, low, high, mOf };
  });
}

function trace(pen, panel, values, colour, { width = 2, dash = [], from = 0 } = {}) {
  Object.assign(pen, { strokeStyle: colour, lineWidth: width });
  pen.setLineDash(dash);
  pen.beginPath();
  let open = false;
  for (let m = 2; m <= values.length - from; m++) {
    const value = values[from + m - 1];
    if (value <= -32768) open = false;
    else if (open) pen.lineTo(panel.x(m), panel.y(value));
    else {
      pen.moveTo(panel.x(m), panel.y(value));
      open = true;
    }
  }
  pen.stroke();
  pen.setLineDash([]);
}

function bandArea(pen, panel, quantiles, placed, colour) {
  pen.beginPath();
  for (let m = 2; m <= placed; m++) pen[m === 2 ? "moveTo" : "lineTo"](panel.x(m), panel.y(quantiles[2 * placed + m - 1]));
  for (let m = placed; m >= 2; m--) pen.lineTo(panel.x(m), panel.y(quantiles[m - 1]));
  pen.closePath();
  pen.fillStyle = colour;
  pen.globalAlpha = 0.22;
  pen.fill();
  pen.globalAlpha = 1;
}

/** What each line means, in a row, and in a second where there is no room. */
function key(pen, view, look, width) {
  const entries = [["HITS", look.blue, [], 3]];
  if (view.mergedCurve) entries.push(["with merged topics", look.blue, [2, 3], 2]);
  if (view.band) entries.push(["random, median", look.orange, [5, 4], 2], ["random, 5–95%", look.orange, null, 0]);
  if (view.other) entries.push([view.other.name, look.text, [7, 3], 2]);
  if (view.optimum) entries.push(["minimax, the optimum", look.text, [7, 3], 2]);
  if (view.line !== null) entries.push(["near-twin threshold", look.grey, [1, 3], 2]);
  let [x, y] = [MARGIN.left, 9];
  for (const [words, colour, dash, thick] of entries) {
    pen.font = `${look.size}px ${look.font}`;
    const room = 26 + pen.measureText(words).width + 12;
    if (x + room > width && x > MARGIN.left) [x, y] = [MARGIN.left, y + 17];
    if (dash) straight(pen, x, y, x + 20, y, colour, { width: thick, dash });
    else {
      pen.globalAlpha = 0.35;
      pen.fillStyle = colour;
      pen.fillRect(x, y - 5, 20, 10);
      pen.globalAlpha = 1;
    }
    write(pen, words, x + 26, y, look);
    x += room;
  }
}

const VALUE = { width: 38, height: 15 }; // pixels of a value beside its dot

/** Where a value stands by its dot: where the fewest lines go through it, below on the right if that is as good as any. */
function freeSpot(view, panel, x, y, [top, bottom]) {
  const median = view.band?.[panel.what].subarray(view.placed, 2 * view.placed);
  const lines = [panel.path, ...(view.mergedCurve ? [panel.values] : []), median, view.other?.[panel.what], view.optimum?.[panel.what]].filter(Boolean);
  const heights = (from) => lines.map((values) => values[Math.min(Math.max(Math.round(panel.mOf(from)), 2), values.length) - 1]).filter((value) => value > -32768).map(panel.y);
  const crossed = (spot) => {
    let count = 0;
    for (let from = spot.x; from <= spot.x + VALUE.width; from += VALUE.width / 4) {
      const levels = view.line === null ? heights(from) : [...heights(from), panel.y(view.line * 1000)];
      count += levels.filter((level) => level > spot.y - 2 && level < spot.y + VALUE.height + 2).length;
    }
    return count;
  };
  let [best, least] = [null, Infinity];
  for (const down of [14, -14, 26, -26, 40, -40]) {
    for (const left of [x + 9, x - 9 - VALUE.width]) {
      const spot = { x: left, y: y + down - VALUE.height / 2 };
      const inside = left >= panel.left && left + VALUE.width <= panel.left + panel.across + 6 && spot.y >= top && spot.y + VALUE.height <= bottom;
      const count = inside ? crossed(spot) : 100;
      if (count < least) [best, least] = [spot, count];
    }
  }
  return best;
}

export const curve = {
  still(pen, size, view, look) {
    key(pen, view, look, size.width);
    for (const panel of panels(view, size)) {
      for (const value of ticks(panel.low, panel.high, 5)) {
        straight(pen, panel.left, panel.y(value), panel.left + panel.across, panel.y(value), look.grid);
        if (panel.what === "mean") write(pen, (value / 1000).toFixed(1 + (panel.high - panel.low < 400)), panel.left - 6, panel.y(value), look, { align: "right" });
      }
      for (const m of ticks(Math.min(2, view.placed), view.placed, panel.across / 56)) {
        const align = panel.x(m) > size.width - 24 ? "right" : "center";
        if (Number.isInteger(m)) write(pen, m.toLocaleString("en-US"), panel.x(m), size.height - MARGIN.bottom + 11, look, { align });
      }
      write(pen, `${panel.what} against m`, panel.left + panel.across / 2, size.height - 9, look, { align: "center", colour: look.text });
      if (view.band) {
        bandArea(pen, panel, view.band[panel.what], view.placed, look.orange);
        trace(pen, panel, view.band[panel.what].subarray(0, 2 * view.placed), look.orange, { dash: [5, 4], from: view.placed });
      }
      if (view.line !== null) straight(pen, panel.left, panel.y(view.line * 1000), panel.left + panel.across, panel.y(view.line * 1000), look.grey, { width: 2, dash: [1, 3] });
      if (view.other) trace(pen, panel, view.other[panel.what], look.text, { dash: [7, 3] });
      if (view.optimum) trace(pen, panel, view.optimum[panel.what], look.text, { dash: [7, 3] });
      if (view.mergedCurve) trace(pen, panel, panel.values, look.blue, { dash: [2, 3] });
      trace(pen, panel, panel.path, look.blue, { width: 3 });
    }
  },
  moving(pen, size, view, look, { m, now }) {
    for (const panel of panels(view, size)) {
      const x = panel.x(Math.max(m, Math.min(2, view.placed)));
      straight(pen, x, roof(view) - 6, x, size.height - MARGIN.bottom, look.soft, { dash: [2, 3] });
      if (now[panel.what] === null) continue;
      const y = panel.y(Number(now[panel.what]) * 1000);
      disc(pen, x, y, 6, look.blue, look.ground);
      const spot = freeSpot(view, panel, x, y, [roof(view), size.height - MARGIN.bottom]);
      pen.fillStyle = look.ground;
      pen.globalAlpha = 0.75;
      pen.fillRect(spot.x, spot.y, VALUE.width, VALUE.height);
      pen.globalAlpha = 1;
      write(pen, now[panel.what], spot.x + VALUE.width / 2, spot.y + VALUE.height / 2, look, { align: "center", colour: look.text, weight: "600" });
    }
  },
  /** The m that a place in the chart stands for, or null. */
  hit(view, size, x) {
    const panel = panels(view, size).find((each) => x >= each.left - 6 && x <= each.left + each.across + 6);
    return panel ? panel.mOf(x) : null;
  },
};

export function disc(pen, x, y, radius, colour, ring = null) {
  pen.fillStyle = colour;
  pen.beginPath();
  pen.arc(x, y, radius, 0, 2 * Math.PI);
  pen.fill();
  if (!ring) return;
  Object.assign(pen, { strokeStyle: ring, lineWidth: 2 });
  pen.stroke();
}

/** Where the columns of the path lie: names, bars of leakage, dots of shares. */
function columns(view, width) {
  const names = Math.min(Math.max(width * 0.4, 120), 230);
  const dots = view.steps ? 84 : 8;
  return { names, bars: width - names - dots - 46, dotsFrom: width - dots + 16, dotsTo: width - 14 };
}

export const path = {
  /** Pixels that a name may take. */
  room: (view, width) => columns(view, width).names - 38,
  height: (view) => HEAD + view.count * ROW,
  /** The rows that show when the list is scrolled to `top`; the head stays. */
  moving(pen, size, view, look, { m, chosen, top = 0, share, highest, cut }) {
    const { names, bars, dotsFrom, dotsTo } = columns(view, size.width);
    const [first, last] = [Math.floor(top / ROW), Math.min(Math.ceil((top + size.height) / ROW), view.count)];
    for (let topic = first; topic < last; topic++) {
      const y = HEAD + (topic + 0.5) * ROW - top;
      const kept = topic < m;
      if (topic === chosen) {
        pen.fillStyle = look.band;
        pen.fillRect(0, y - ROW / 2, size.width, ROW);
      }
      const colour = kept ? look.text : look.soft;
      write(pen, `${topic + 1}.`, 26, y, look, { align: "right", colour });
      write(pen, cut.path[topic], 32, y, look, { colour });
      const leakage = view.leakage[topic];
      const length = leakage > -32768 ? (Math.max(leakage, 0) / highest) * bars : 0;
      pen.fillStyle = kept ? look.blue : look.grey;
      pen.globalAlpha = kept ? 1 : 0.55;
      pen.fillRect(names, y - 6, length, 12);
      pen.globalAlpha = 1;
      const said = topic >= view.placed ? "too few documents" : topic === 0 ? "start" : (leakage / 1000).toFixed(3);
      write(pen, said, names + length + 5, y, look, { colour });
      const often = topic < view.placed ? share(topic) : null;
      if (often !== null) disc(pen, dotsFrom + ((dotsTo - dotsFrom) * often) / 100, y, 4, kept ? look.blue : look.grey);
    }
    if (view.steps) straight(pen, (dotsFrom + dotsTo) / 2, HEAD, (dotsFrom + dotsTo) / 2, Math.min(size.height, HEAD + view.count * ROW - top), look.grid, { dash: [2, 3] });
    const edge = HEAD + m * ROW - top;
    if (m < view.count && edge > HEAD) straight(pen, 0, edge, size.width, edge, look.orange, { width: 2 });
    pen.fillStyle = look.ground;
    pen.fillRect(0, 0, size.width, HEAD);
    write(pen, "step, topic", 8, HEAD / 2, look);
    write(pen, bars > 150 ? "leakage when taken" : "leakage", names, HEAD / 2, look);
    if (view.steps) write(pen, "% of bootstraps", (dotsFrom + dotsTo) / 2, HEAD / 2, look, { align: "center" });
  },
  hit(view, top, y) {
    const topic = Math.floor((y - HEAD + top) / ROW);
    return y >= HEAD && topic >= 0 && topic < view.count ? topic : null;
  },
};
