// Of the page as it stands: height, how far it is wider than its window, the top of the first chart, controls that stick out
// at the right, and texts in charts that are cut at the chart's edge or lie on one another.
() => {
  const main = document.querySelector("[data-testid=stMain]");
  const seen = (element) => element.checkVisibility({ opacityProperty: true, visibilityProperty: true });
  const [cut, collide] = [[], []];
  for (const chart of main.querySelectorAll(".js-plotly-plot")) {
    const frame = chart.getBoundingClientRect(), boxes = [];
    if (frame.width < 2) continue; // in a tab that is not open
    for (const text of chart.querySelectorAll(".main-svg text")) {
      const box = text.getBoundingClientRect();
      if (box.width < 2 || text.closest(".legend") || !seen(text)) continue;
      const [left, right, top, bottom] = [box.left - frame.left, frame.right - box.right, box.top - frame.top, frame.bottom - box.bottom];
      if (Math.min(left, right, top, bottom) < -1) cut.push(text.textContent);
      for (const [other, words] of boxes) {
        const wide = Math.min(box.right, other.right) - Math.max(box.left, other.left);
        const high = Math.min(box.bottom, other.bottom) - Math.max(box.top, other.top);
        if (wide > 2 && high > 4) collide.push([words, text.textContent]);
      }
      boxes.push([box, text.textContent]);
    }
  }
  // What scrolls in a box of its own does not stick out.
  const boxed = (element) => {
    for (let up = element.parentElement; up && up !== main; up = up.parentElement) {
      if (/auto|scroll|hidden|clip/.test(getComputedStyle(up).overflowX) && up.getBoundingClientRect().right <= innerWidth + 1) return true;
    }
    return false;
  };
  const controls = [...main.querySelectorAll("button, input, textarea, [role=slider], [role=combobox], h1, h2, h3, p, label")];
  const outside = controls.filter((each) => seen(each) && each.getBoundingClientRect().right > innerWidth + 1 && !boxed(each));
  const chart = [...main.querySelectorAll(".js-plotly-plot, .view canvas")].find((each) => each.getBoundingClientRect().width > 2);
  return {
    height: main.scrollHeight,
    sideways: main.scrollWidth - main.clientWidth,
    chart: chart ? chart.getBoundingClientRect().top + main.scrollTop : null,
    cut,
    collide,
    outside: outside.map((each) => `${each.tagName} ${each.textContent.slice(0, 40)}`),
  };
};
