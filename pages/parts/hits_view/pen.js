// A pen that writes SVG with the few calls our charts make of a canvas, so that one drawing serves screen, PNG and SVG.

const SVG = "http://www.w3.org/2000/svg";

export class SvgPen {
  constructor(width, height) {
    this.root = document.createElementNS(SVG, "svg");
    this.root.setAttribute("xmlns", SVG);
    this.put(this.root, { width, height, viewBox: `0 0 ${width} ${height}` });
    this.measuring = document.createElement("canvas").getContext("2d");
    this.dash = [];
    Object.assign(this, { fillStyle: "#000", strokeStyle: "#000", lineWidth: 1, globalAlpha: 1 });
    Object.assign(this, { font: "12px sans-serif", textAlign: "left", textBaseline: "alphabetic", line: "" });
  }

  put(element, attributes) {
    for (const [name, value] of Object.entries(attributes)) {
      element.setAttribute(name, typeof value === "number" ? Math.round(value * 100) / 100 : value);
    }
    return element;
  }

  add(name, attributes) {
    const element = this.put(document.createElementNS(SVG, name), attributes);
    if (this.globalAlpha < 1) element.setAttribute("opacity", this.globalAlpha);
    return this.root.appendChild(element);
  }

  beginPath() { this.line = ""; }
  moveTo(x, y) { this.line += `M${x.toFixed(1)} ${y.toFixed(1)}`; }
  lineTo(x, y) { this.line += `L${x.toFixed(1)} ${y.toFixed(1)}`; }
  closePath() { this.line += "Z"; }
  arc(x, y, radius) {
    const [left, right, level] = [x - radius, x + radius, y].map((value) => value.toFixed(1));
    this.line += `M${left} ${level}A${radius} ${radius} 0 1 1 ${right} ${level}A${radius} ${radius} 0 1 1 ${left} ${level}`;
  }
  setLineDash(dash) { this.dash = dash; }
  fill() { this.add("path", { d: this.line, fill: this.fillStyle }); }
  stroke() {
    const look = { d: this.line, fill: "none", stroke: this.strokeStyle, "stroke-width": this.lineWidth };
    this.add("path", this.dash.length ? { ...look, "stroke-dasharray": this.dash.join(" ") } : look);
  }
  fillRect(x, y, width, height) { this.add("rect", { x, y, width, height, fill: this.fillStyle }); }
  strokeRect(x, y, width, height) {
    this.add("rect", { x, y, width, height, fill: "none", stroke: this.strokeStyle, "stroke-width": this.lineWidth });
  }
  measureText(text) {
    this.measuring.font = this.font;
    return this.measuring.measureText(text);
  }
  fillText(text, x, y) {
    const anchor = { left: "start", center: "middle", right: "end" }[this.textAlign];
    const level = { middle: "central", top: "hanging" }[this.textBaseline] ?? "auto";
    const look = { x, y, fill: this.fillStyle, "text-anchor": anchor, "dominant-baseline": level };
    this.add("text", { ...look, style: `font: ${this.font}` }).textContent = text;
  }
  drawImage(source, sx, sy, sw, sh, x, y, width, height) {
    const part = document.createElement("canvas");
    Object.assign(part, { width: sw, height: sh });
    part.getContext("2d").drawImage(source, sx, sy, sw, sh, 0, 0, sw, sh);
    const look = { x, y, width, height, preserveAspectRatio: "none", style: "image-rendering: pixelated" };
    this.add("image", { ...look, href: part.toDataURL() });
  }
  text() { return new XMLSerializer().serializeToString(this.root); }
}
