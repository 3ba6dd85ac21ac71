(() => {
  // Plotly's own button makes one format; beside it stands one for the other, once the pointer or the keyboard is there.
  if (window.leakscopeFigures) return;
  window.leakscopeFigures = true;
  const offer = ({ target }) => {
    const chart = target instanceof Element && target.closest(".js-plotly-plot");
    const png = chart && chart.querySelector('.modebar-btn[data-title^="Download plot"]');
    if (!png) return;
    const svg = png.cloneNode();
    for (const [button, format] of [[png, "PNG"], [svg, "SVG"]]) {
      button.textContent = format;
      button.dataset.title = `Download as ${format}`;
      button.setAttribute("aria-label", button.dataset.title);
    }
    svg.addEventListener("click", () => {
      window.Plotly.downloadImage(chart, { ...chart._context.toImageButtonOptions, format: "svg", scale: 1 });
    });
    png.after(svg);
  };
  // On the topic map, the topic of the document or centroid under the pointer is marked.
  const marking = ({ target }) => {
    const chart = target instanceof Element && target.closest(".js-plotly-plot");
    const marks = chart && chart.data ? chart.data.findIndex(({ meta }) => meta === "hovered topic") : -1;
    if (marks < 0 || chart.dataset.marking) return;
    chart.dataset.marking = "none";
    const mark = (topic) => {
      const at = chart.data.findIndex(({ meta }) => meta === "hovered topic");
      if (at < 0 || chart.dataset.marking === `${topic}`) return;
      chart.dataset.marking = `${topic}`;
      const x = [], y = [];
      for (const trace of chart.data) {
        (trace.customdata ?? []).forEach(([, , code], index) => {
          if (code === topic) { x.push(trace.x[index]); y.push(trace.y[index]); }
        });
      }
      window.Plotly.restyle(chart, { x: [x], y: [y] }, [at]);
    };
    chart.on("plotly_hover", ({ points: [point] }) =>
      mark(point.data.meta === "centroids" ? point.pointNumber : (point.customdata ?? [])[2]));
    chart.on("plotly_unhover", () => mark("none"));
  };
  document.addEventListener("pointerover", marking);
  for (const kind of ["pointerover", "focusin"]) document.addEventListener(kind, offer);
})();
