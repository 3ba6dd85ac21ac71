// A chart on its canvas, what stands still in it drawn once, and the same chart as a picture to take away.

const DRAWINGS = { curve, path, map, matrix };

/** Draw a chart at m on the canvas of its place. */
function drawOn(chart, drawing, { width, height }, view, look, state) {
  const scale = window.devicePixelRatio || 1;
  const [across, down] = [Math.round(width * scale), Math.round(height * scale)];
  if (!across || !down) return;
  if (chart.canvas.width !== across || chart.canvas.height !== down) {
    Object.assign(chart.canvas, { width: across, height: down });
    Object.assign(chart.canvas.style, { width: `${width}px`, height: `${height}px` });
  }
  if (drawing.still && !chart.layer) {
    chart.layer = make("canvas", { width: across, height: down });
    const pen = chart.layer.getContext("2d");
    pen.scale(scale, scale);
    drawing.still(pen, { width, height }, view, look, state);
  }
  chart.pen.setTransform(1, 0, 0, 1, 0, 0);
  chart.pen.clearRect(0, 0, across, down);
  if (chart.layer) chart.pen.drawImage(chart.layer, 0, 0);
  chart.pen.scale(scale, scale);
  drawing.moving(chart.pen, { width, height }, view, look, state);
}

/** Give a chart at m as a PNG of twice its size or as an SVG. */
function picture(format, drawing, size, view, look, state, give) {
  const canvas = make("canvas", { width: 2 * size.width, height: 2 * size.height });
  const pen = format === "svg" ? new SvgPen(size.width, size.height) : canvas.getContext("2d");
  if (format === "png") pen.scale(2, 2);
  pen.fillStyle = look.ground;
  pen.fillRect(0, 0, size.width, size.height);
  drawing.still?.(pen, size, view, look, state);
  drawing.moving(pen, size, view, look, state);
  if (format === "svg") give(new Blob([pen.text()], { type: "image/svg+xml" }));
  else canvas.toBlob(give);
}
