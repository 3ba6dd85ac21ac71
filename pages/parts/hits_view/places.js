// The map and the matrix: where topics lie, and how similar every two are, in the order of the path.

const EDGE = 22; // pixels round the map
const KEY = 18; // pixels under it
const ONE_BY_ONE = 400; // topics up to which each is a shape of its own
const SPARSE = 60; // topics up to which no name lies over a topic
const MOST_UNDER = 2; // dots under a name where there are more topics; they are seen through it

/** Pixels and radii of the topics on a map of this size. */
export function mapPoints(view, { width, height }) {
  const { places, count } = view;
  let [left, right, low, high] = [Infinity, -Infinity, Infinity, -Infinity];
  let largest = 1;
  for (let topic = 0; topic < count; topic++) {
    const [x, y] = [places[2 * topic], places[2 * topic + 1]];
    [left, right, low, high] = [Math.min(left, x), Math.max(right, x), Math.min(low, y), Math.max(high, y)];
    largest = Math.max(largest, view.sizes[topic]);
  }
  const across = (value, from, to, start, room) => start + (to > from ? ((value - from) / (to - from)) * room : room / 2);
  const shrink = Math.min(1, Math.sqrt(60 / count));
  return Array.from({ length: count }, (_, topic) => ({
    x: across(places[2 * topic], left, right, EDGE, width - 2 * EDGE),
    y: height - KEY - across(places[2 * topic + 1], low, high, EDGE, height - KEY - 2 * EDGE),
    radius: Math.max((4 + 8 * Math.sqrt(view.sizes[topic] / largest)) * shrink, 1.8),
  }));
}

/** A place for the names of the topics that come first in the path, as many as fit: none over another, none over an edge.
 *  Later topics never move earlier ones, so that a name stands still while m moves. */
export function placeLabels(points, widths, { width, height }, line = 14) {
  const taken = [];
  const hits = (box, other) => box.x < other.x + other.width && other.x < box.x + box.width && box.y < other.y + other.height && other.y < box.y + box.height;
  const sparse = points.length <= SPARSE;
  const round = points.map(({ x, y, radius }) => ({ x: x - radius, y: y - radius, width: 2 * radius, height: 2 * radius }));
  const labels = points.map(() => null);
  const most = sparse ? 40 : 15;
  for (let topic = 0; topic < Math.min(points.length, ONE_BY_ONE) && taken.length < most; topic++) {
    const { x, y, radius } = points[topic];
    const wide = widths(topic);
    const inside = Math.min(Math.max(x - wide / 2, 2), width - wide - 2);
    const tries = [[inside, y - radius - line], [inside, y + radius], [x + radius + 3, y - line / 2], [x - radius - 3 - wide, y - line / 2]];
    const free = tries
      .map(([left, top]) => ({ x: left, y: top, width: wide, height: line }))
      .filter((box) => box.x >= 0 && box.x + wide <= width && box.y >= 0 && box.y + line <= height - KEY)
      .filter((box) => !taken.some((other) => hits(box, other)))
      .map((box) => ({ ...box, over: round.filter((other, index) => index !== topic && hits(box, other)).length }))
      .reduce((best, box) => (best && best.over <= box.over ? best : box), null);
    if (free && free.over <= (sparse ? 0 : MOST_UNDER)) {
      labels[topic] = free;
      taken.push(free);
    }
  }
  return labels;
}

function rings(pen, points, from, to, look) {
  Object.assign(pen, { strokeStyle: look.grey, lineWidth: 1.5 });
  pen.beginPath();
  for (let topic = from; topic < to; topic++) {
    const { x, y, radius } = points[topic];
    pen.moveTo(x + radius, y);
    pen.arc(x, y, radius, 0, 2 * Math.PI);
  }
  pen.stroke();
}

/** Many small points, each a square: as good at that size, and much quicker than as many circles. */
function dots(pen, points, topics, colour) {
  pen.fillStyle = colour;
  for (const topic of topics) {
    const { x, y, radius } = points[topic];
    pen.fillRect(x - radius, y - radius, 2 * radius, 2 * radius);
  }
}

function filled(pen, points, topics, colour, shape) {
  pen.fillStyle = colour;
  pen.beginPath();
  for (const topic of topics) shape(pen, points[topic]);
  pen.fill();
}

const circle = (pen, { x, y, radius }) => {
  pen.moveTo(x + radius, y);
  pen.arc(x, y, radius, 0, 2 * Math.PI);
};
const diamond = (pen, { x, y, radius }) => {
  pen.moveTo(x, y - radius - 1);
  for (const [across, down] of [[1, 0], [0, 1], [-1, 0]]) pen.lineTo(x + across * (radius + 1), y + down * (radius + 1));
  pen.closePath();
};

function mapKey(pen, view, look, size, write) {
  const entries = [["kept", look.blue, circle], ["left out", look.grey, null]];
  if (view.changes) entries.push(["merged", look.orange, diamond]);
  let x = 4;
  for (const [words, colour, shape] of entries) {
    const point = { x: x + 6, y: size.height - 9, radius: 5 };
    if (shape) filled(pen, [point], [0], colour, shape);
    else rings(pen, [point], 0, 1, look);
    write(pen, words, x + 16, size.height - 9, look);
    pen.font = `${look.size}px ${look.font}`;
    x += 16 + pen.measureText(words).width + 16;
  }
}

export const map = {
  still(pen, size, view, look, { points, write }) {
    if (view.count > ONE_BY_ONE) dots(pen, points, points.keys(), look.grey);
    mapKey(pen, view, look, size, write);
  },
  moving(pen, size, view, look, { m, chosen, points, labels, target, write, fitted, cut }) {
    const merged = [];
    if (view.changes) for (let topic = m; topic < view.count; topic++) if (target(topic) >= 0) merged.push(topic);
    const kept = Array.from({ length: m }, (_, topic) => topic);
    if (view.count <= ONE_BY_ONE) {
      const joined = new Set(merged);
      Object.assign(pen, { strokeStyle: look.orange, lineWidth: 1.5 });
      pen.beginPath();
      for (const topic of merged) {
        const to = points[target(topic)];
        pen.moveTo(points[topic].x, points[topic].y);
        pen.lineTo(to.x, to.y);
      }
      pen.stroke();
      for (let topic = m; topic < view.count; topic++) if (!joined.has(topic)) rings(pen, points, topic, topic + 1, look);
      filled(pen, points, merged, look.orange, diamond);
      filled(pen, points, kept, look.blue, circle);
    } else {
      dots(pen, points, merged, look.orange);
      dots(pen, points, kept, look.blue);
    }
    pen.font = `${look.size}px ${look.font}`;
    for (const topic of kept) {
      const box = labels[topic];
      if (!box || topic === chosen) continue;
      write(pen, cut.map[topic], box.x, box.y + box.height / 2, look, { colour: look.text });
    }
    if (chosen !== null) mark(pen, size, view, look, points[chosen], chosen, { write, fitted });
  },
  /** The topic nearest to a place on the map, or null. */
  hit(points, x, y) {
    let [best, least] = [null, Infinity];
    points.forEach((point, topic) => {
      const apart = Math.hypot(point.x - x, point.y - y) - point.radius;
      if (apart < least) [best, least] = [topic, apart];
    });
    return least <= 6 ? best : null;
  },
};

/** The chosen topic: a ring and its name, on a ground of its own so that it is read over anything. */
function mark(pen, size, view, look, { x, y, radius }, topic, { write, fitted }) {
  Object.assign(pen, { strokeStyle: look.text, lineWidth: 2.5 });
  pen.beginPath();
  pen.arc(x, y, radius + 4, 0, 2 * Math.PI);
  pen.stroke();
  pen.font = `600 ${look.size}px ${look.font}`;
  const words = fitted(pen, view.names[topic], size.width - 16);
  const wide = pen.measureText(words).width + 8;
  const left = Math.min(Math.max(x - wide / 2, 0), size.width - wide);
  const top = y - radius - 24 < 0 ? y + radius + 6 : y - radius - 24;
  pen.fillStyle = look.ground;
  pen.fillRect(left, top, wide, 18);
  write(pen, words, left + 4, top + 9, look, { colour: look.text, weight: "600" });
}

/** The matrix as two pictures, a pixel a cell: colours for what is kept, greys for what is left out. */
export function matrixPictures(view, look) {
  const known = view.cells.filter((value) => value > -32768);
  const [low, high] = known.reduce(([least, most], value) => [Math.min(least, value), Math.max(most, value)], [1000, -1000]);
  const paint = (ramp) => {
    const canvas = document.createElement("canvas");
    canvas.width = canvas.height = view.blocks;
    const pen = canvas.getContext("2d");
    const image = pen.createImageData(view.blocks, view.blocks);
    view.cells.forEach((value, at) => {
      if (value > -32768) image.data.set([...ramp((value - low) / Math.max(high - low, 1)), 255], 4 * at);
    });
    pen.putImageData(image, 0, 0);
    return canvas;
  };
  return { low, high, kept: paint(look.ramp), others: paint(look.greys) };
}

function frame(size) {
  const side = Math.min(size.width - 58, size.height - 66);
  return { left: 42, top: 34, side };
}

export const matrix = {
  still(pen, size, view, look, { pictures, write, ticks }) {
    const { left, top, side } = frame(size);
    pen.imageSmoothingEnabled = false;
    pen.drawImage(pictures.others, 0, 0, view.blocks, view.blocks, left, top, side, side);
    for (const step of ticks(1, view.placed, side / 60).filter(Number.isInteger)) {
      const at = ((step - 0.5) / view.placed) * side;
      write(pen, step.toLocaleString("en-US"), left - 5, top + at, look, { align: "right" });
      write(pen, step.toLocaleString("en-US"), left + at, top - 8, look, { align: "center" });
    }
    write(pen, "step of the path", left, 8, look);
    const bar = Math.min(side, 160);
    for (let x = 0; x < bar; x++) {
      pen.fillStyle = `rgb(${look.ramp(x / (bar - 1)).join(",")})`;
      pen.fillRect(left + 40 + x, top + side + 14, 1.5, 10);
    }
    write(pen, (pictures.low / 1000).toFixed(2), left + 36, top + side + 19, look, { align: "right" });
    write(pen, (pictures.high / 1000).toFixed(2), left + bar + 46, top + side + 19, look);
    write(pen, "similarity", left + bar + 46 + 34, top + side + 19, look);
  },
  moving(pen, size, view, look, { m, chosen, pair, pictures }) {
    const { left, top, side } = frame(size);
    const whole = view.edges.findLastIndex((edge) => edge <= m);
    pen.imageSmoothingEnabled = false;
    const lit = (view.edges[whole] / view.placed) * side;
    if (whole > 0) pen.drawImage(pictures.kept, 0, 0, whole, whole, left, top, lit, lit);
    Object.assign(pen, { strokeStyle: look.orange, lineWidth: 2 });
    pen.strokeRect(left, top, (m / view.placed) * side, (m / view.placed) * side);
    const cell = side / view.placed;
    if (chosen !== null && chosen < view.placed) {
      Object.assign(pen, { strokeStyle: look.text, lineWidth: 1.5 });
      pen.strokeRect(left, top + chosen * cell, side, Math.max(cell, 1));
    }
    if (pair && cell >= 3) {
      Object.assign(pen, { strokeStyle: look.text, lineWidth: 2 });
      for (const [row, column] of [pair, [pair[1], pair[0]]]) pen.strokeRect(left + column * cell - 1, top + row * cell - 1, cell + 2, cell + 2);
    }
  },
  /** The blocks (row, column) at a place, or null. */
  hit(view, size, x, y) {
    const { left, top, side } = frame(size);
    const block = (pixel) => {
      const topic = Math.floor((pixel / side) * view.placed);
      return topic < 0 || topic >= view.placed ? null : view.edges.findLastIndex((edge) => edge <= topic);
    };
    const [row, column] = [block(y - top), block(x - left)];
    return row === null || column === null ? null : [row, column];
  },
};
