// Texts of less contrast than `least` against what they stand on: [text, ratio, colour, ground, where].
(least) => {
  const channels = (colour) => {
    const found = colour.match(/[\d.]+/g);
    if (!found || colour === "none" || colour === "transparent") return [0, 0, 0, 0];
    const scale = colour.startsWith("color(") ? 255 : 1;
    const [r, g, b, a = 1] = found.map(Number);
    return [r * scale, g * scale, b * scale, a];
  };
  const over = ([r, g, b, a], [R, G, B]) => [r * a + R * (1 - a), g * a + G * (1 - a), b * a + B * (1 - a), 1];
  const light = (colour) => {
    const [r, g, b] = colour.slice(0, 3).map((value) => {
      const share = value / 255;
      return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
    });
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const ratio = (one, two) => {
    const [low, high] = [light(one), light(two)].sort((a, b) => a - b);
    return (high + 0.05) / (low + 0.05);
  };
  const seen = (element) => {
    let share = 1;
    for (let up = element; up; up = up.parentElement) share *= Number(getComputedStyle(up).opacity);
    return share;
  };
  const holds = (area, x, y) => area.left <= x && area.right >= x && area.top <= y && area.bottom >= y;
  const ground = (element, x, y) => {
    const layers = [];
    for (let up = element; up; up = up.parentElement) {
      if (up !== document.body && !holds(up.getBoundingClientRect(), x, y)) continue; // it stands beside that one
      const colour = channels(getComputedStyle(up).backgroundColor);
      if (colour[3] > 0) layers.push(colour);
      if (colour[3] === 1) break;
    }
    return layers.reverse().reduce((below, layer) => over(layer, below), [255, 255, 255, 1]);
  };
  // A chart's text stands on whatever shapes are drawn under its middle; pictures (heatmaps, points) are not looked into.
  const shapes = new Map();
  const drawn = (chart) => {
    if (!shapes.has(chart)) {
      const found = [...chart.querySelectorAll(".barlayer path, .shapelayer path, rect.bg, .legend rect")];
      shapes.set(chart, found.map((shape) => [shape, shape.getBoundingClientRect()]));
    }
    return shapes.get(chart);
  };
  const under = (text, x, y, below) => {
    const chart = text.closest(".js-plotly-plot");
    if (!chart) return below;
    for (const [shape, area] of drawn(chart)) {
      if (!holds(area, x, y)) continue;
      const look = getComputedStyle(shape);
      const colour = channels(look.fill);
      colour[3] *= Number(look.fillOpacity) * seen(shape);
      below = over(colour, below);
    }
    return below;
  };
  const poor = [];
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    const element = node.parentElement, words = node.textContent.trim();
    if (!words || !element || element.closest("script, style, noscript, .katex-mathml, [data-testid=stTooltipContent]")) continue;
    if (!element.checkVisibility({ opacityProperty: true, visibilityProperty: true })) continue;
    if (element.closest("[disabled], [aria-disabled=true], .heatmap-label")) continue; // one colour for all cells
    // Numbers on the cells of a picture: tests/core/plots/test_figures.py compares them with the colours under them.
    if (element.closest(".scatterlayer") && element.closest(".js-plotly-plot").querySelector(".heatmaplayer image")) continue;
    const range = document.createRange();
    range.selectNodeContents(node);
    const box = range.getBoundingClientRect();
    if (box.width < 2 || box.height < 2) continue;
    const look = getComputedStyle(element), drawing = element instanceof SVGElement;
    const colour = channels(drawing ? look.fill : look.color);
    colour[3] *= seen(element) * (drawing ? Number(look.fillOpacity) : 1);
    if (colour[3] < 0.02) continue;
    const x = (box.left + box.right) / 2, y = (box.top + box.bottom) / 2;
    const below = drawing ? under(element, x, y, ground(element, x, y)) : ground(element, x, y);
    const found = ratio(over(colour, below), below);
    if (found < least) {
      const place = element.closest("[data-testid]");
      const rgb = (each) => each.slice(0, 3).map(Math.round).join(" ");
      poor.push([words.slice(0, 60), Number(found.toFixed(2)), rgb(over(colour, below)), rgb(below), place ? place.dataset.testid : element.tagName]);
    }
  }
  return poor;
}
