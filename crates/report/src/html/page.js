// Draws the traces of a report. Each figure `.wave` holds its trace as JSON: `steps`, `back` (where a lasso goes round),
// `bad` (the step of the violation), and `rows`. A row has a name `n`, a heading `g`, a kind `k`, and `v`: of Booleans a character
// a step (0, 1, x, or - where its part of the model does not execute), of all others a list with a text for each step,
// 0 where it is the one before.
"use strict";
(() => {
  const ROW = 24, HEAD = 26, PAD = 5, LEAST = 3, MOST = 160;

  /** The rows of a trace with all their values. */
  const unpack = (row) => {
    let last = null;
    const values = row.k === "b" ? [...row.v] : row.v.map((v) => (last = v === 0 ? last : v));
    return { name: row.n, group: row.g, bit: row.k === "b", values, still: values.every((v) => v === values[0]) };
  };

  class Wave {
    constructor(figure) {
      const data = JSON.parse(figure.querySelector("script").textContent);
      Object.assign(this, { figure, steps: data.steps, back: data.back, bad: data.bad, hidden: data.hidden || 0 });
      this.rows = data.rows.map(unpack);
      this.canvas = figure.querySelector("canvas");
      this.view = figure.querySelector(".view");
      this.body = figure.querySelector(".body");
      this.said = figure.querySelector(".said");
      this.cursor = this.bad === null ? 0 : this.bad;
      this.query = "";
      this.all = this.rows.every((row) => row.still);
      this.listen();
      this.choose();
      this.fit();
      // Values are to be read; who wants to see all steps at once asks for it.
      const long = (row) => row.values.reduce((n, v) => Math.max(n, v === null ? 1 : v.length), 1);
      const longest = this.shown.reduce((n, row) => (row.values && !row.bit ? Math.max(n, long(row)) : n), 1);
      this.px = Math.max(this.px, 16, Math.min(longest, 8) * 7.3 + 10);
      this.layout();
      // The violation is what one wants to see.
      this.view.scrollLeft = this.body.offsetWidth;
      this.draw();
    }

    listen() {
      const tool = (name) => this.figure.querySelector(`[data-do="${name}"]`);
      tool("in").onclick = () => this.zoom(1.5);
      tool("out").onclick = () => this.zoom(1 / 1.5);
      tool("fit").onclick = () => { this.fit(); this.draw(); };
      tool("all").checked = this.all;
      tool("all").onchange = (event) => { this.all = event.target.checked; this.choose(); this.draw(); };
      tool("find").oninput = (event) => { this.query = event.target.value.toLowerCase(); this.choose(); this.draw(); };
      this.view.onscroll = () => this.draw();
      this.view.onpointermove = (event) => this.point(event);
      this.view.onpointerdown = (event) => this.point(event);
      this.view.onkeydown = (event) => this.key(event);
      this.view.addEventListener("wheel", (event) => {
        if (!event.ctrlKey && !event.metaKey) return;
        event.preventDefault();
        this.zoom(event.deltaY < 0 ? 1.2 : 1 / 1.2, event.clientX - this.view.getBoundingClientRect().left - this.gutter);
      }, { passive: false });
    }

    /** Which rows are shown, each heading before the first of its rows. */
    choose() {
      const wanted = (row) => (this.all || !row.still) && row.name.toLowerCase().includes(this.query);
      this.shown = [];
      let group = "";
      for (const row of this.rows.filter(wanted)) {
        if (row.group !== group) this.shown.push({ heading: group = row.group });
        this.shown.push(row);
      }
      this.body.style.height = `${HEAD + ROW * this.shown.length + 4}px`;
      this.view.style.height = `${Math.min(512, HEAD + ROW * this.shown.length + 22)}px`;
      const context = this.context(1, 1);
      const widest = this.shown.reduce((w, row) => Math.max(w, context.measureText(row.heading || row.name).width), 40);
      const room = this.figure.clientWidth;
      this.values = Math.min(110, room / 5);
      this.gutter = Math.ceil(Math.min(widest + 16, room * 0.35) + this.values);
      this.layout();
    }

    fit() {
      const room = this.view.clientWidth - this.gutter - 2;
      this.px = Math.max(LEAST, Math.min(64, room / this.steps));
      this.layout();
    }

    layout() {
      if (this.px) this.body.style.width = `${this.gutter + this.px * this.steps}px`;
    }

    /** Zooms, so that what is at this place stays there. */
    zoom(factor, at = (this.view.clientWidth - this.gutter) / 2) {
      const step = (this.view.scrollLeft + at) / this.px;
      this.px = Math.max(LEAST, Math.min(MOST, this.px * factor));
      this.layout();
      this.view.scrollLeft = step * this.px - at;
      this.draw();
    }

    point(event) {
      const box = this.view.getBoundingClientRect();
      const x = event.clientX - box.left - this.gutter, y = event.clientY - box.top - HEAD;
      const row = y < 0 ? null : this.shown[Math.floor((y + this.view.scrollTop) / ROW)];
      if (x >= 0) this.cursor = Math.max(0, Math.min(this.steps - 1, Math.floor((x + this.view.scrollLeft) / this.px)));
      this.hovered = row && row.values ? row : null;
      this.draw();
    }

    key(event) {
      const move = { ArrowLeft: -1, ArrowRight: 1, Home: -this.steps, End: this.steps }[event.key];
      if (event.key === "+" || event.key === "-") return this.zoom(event.key === "+" ? 1.5 : 1 / 1.5);
      if (!move) return;
      event.preventDefault();
      this.cursor = Math.max(0, Math.min(this.steps - 1, this.cursor + move));
      const left = this.cursor * this.px, room = this.view.clientWidth - this.gutter;
      if (left < this.view.scrollLeft) this.view.scrollLeft = left;
      if (left + this.px > this.view.scrollLeft + room) this.view.scrollLeft = left + this.px - room;
      this.draw();
    }

    context(width, height) {
      const scale = window.devicePixelRatio || 1, { canvas } = this;
      if (canvas.width !== Math.round(width * scale) || canvas.height !== Math.round(height * scale)) {
        canvas.width = Math.round(width * scale);
        canvas.height = Math.round(height * scale);
        canvas.style.width = `${width}px`;
        canvas.style.height = `${height}px`;
      }
      const context = canvas.getContext("2d");
      context.setTransform(scale, 0, 0, scale, 0, 0);
      context.font = "12px ui-monospace, SFMono-Regular, Menlo, Consolas, monospace";
      context.textBaseline = "middle";
      return context;
    }

    draw() {
      if (this.queued) return;
      this.queued = true;
      requestAnimationFrame(() => { this.queued = false; this.paint(); });
    }

    /** Paints what is in sight. */
    paint() {
      const width = this.view.clientWidth, height = this.view.clientHeight;
      if (!width) return;
      const c = this.context(width, height), style = getComputedStyle(document.documentElement);
      const colour = (name) => style.getPropertyValue(`--${name}`).trim();
      const { gutter, px } = this, left = this.view.scrollLeft, top = this.view.scrollTop;
      const from = Math.max(0, Math.floor(left / px)), to = Math.min(this.steps, Math.ceil((left + width - gutter) / px));
      const x = (step) => gutter + step * px - left;
      c.fillStyle = colour("paper");
      c.fillRect(0, 0, width, height);
      c.save();
      c.beginPath();
      c.rect(gutter, 0, width - gutter, height);
      c.clip();
      if (this.back !== null) {
        c.fillStyle = colour("loop");
        c.fillRect(x(this.back), 0, x(this.steps) - x(this.back), height);
      }
      if (this.bad !== null) {
        c.globalAlpha = 0.14;
        c.fillStyle = colour("bad");
        c.fillRect(x(this.bad), 0, px, height);
        c.globalAlpha = 1;
      }
      c.globalAlpha = 0.25;
      c.fillStyle = colour("wave");
      c.fillRect(x(this.cursor), 0, Math.max(px, 2), height);
      c.globalAlpha = 1;
      this.shown.forEach((row, place) => {
        const y = HEAD + place * ROW - top;
        if (y > height || y + ROW < HEAD || !row.values) return;
        if (row.bit) this.bits(c, row, y, from, to, x, colour);
        else this.words(c, row, y, from, to, x, colour);
      });
      c.restore();
      this.steps_(c, from, to, x, width, colour);
      this.names(c, width, height, top, colour);
      this.say();
    }

    bits(c, row, y, from, to, x, colour) {
      const high = y + PAD, low = y + ROW - PAD;
      const level = (value) => (value === "1" ? high : value === "0" ? low : (high + low) / 2);
      c.strokeStyle = colour("wave");
      c.lineWidth = 1.4;
      c.beginPath();
      for (let step = from; step < to; step++) {
        const at = level(row.values[step]);
        if (step === from) c.moveTo(x(step), at);
        else c.lineTo(x(step), at);
        c.lineTo(x(step + 1), at);
      }
      c.stroke();
      c.fillStyle = colour("faint");
      for (let step = from; step < to; step++) {
        if (row.values[step] === "x" || row.values[step] === "-") c.fillRect(x(step), high, Math.max(this.px - 1, 1), 1);
      }
    }

    words(c, row, y, from, to, x, colour) {
      const high = y + PAD - 1, low = y + ROW - PAD + 1, middle = (high + low) / 2;
      let start = from;
      while (start > 0 && row.values[start] === row.values[start - 1]) start--;
      while (start < to) {
        let end = start + 1;
        while (end < this.steps && row.values[end] === row.values[start]) end++;
        const a = x(start), b = x(end), value = row.values[start], slant = Math.min(3, this.px / 3);
        const known = value !== null && value !== "-" && value !== "x";
        c.strokeStyle = known ? colour("wave") : colour("faint");
        c.lineWidth = 1.1;
        c.beginPath();
        c.moveTo(a, middle);
        c.lineTo(a + slant, high); c.lineTo(b - slant, high);
        c.lineTo(b, middle);
        c.lineTo(b - slant, low); c.lineTo(a + slant, low);
        c.closePath();
        c.stroke();
        // The text stands where it can be seen, also of a value that began long before.
        const seen = Math.max(a, this.gutter) + 5, room = Math.min(b, this.view.clientWidth) - seen - 3;
        const text = this.cut(c, value === null ? "-" : value, room);
        c.fillStyle = colour("ink");
        if (text) c.fillText(text, seen, middle);
        start = end;
      }
    }

    /** As much of a text as fits, or nothing. */
    cut(c, text, room) {
      if (text.length > 400) text = text.slice(0, 400);
      if (room < 6) return "";
      const width = c.measureText("0").width, fits = Math.floor(room / width);
      if (text.length <= fits) return text;
      return fits > 2 ? `${text.slice(0, fits - 1)}…` : "";
    }

    steps_(c, from, to, x, width, colour) {
      c.fillStyle = colour("sheet");
      c.fillRect(0, 0, width, HEAD);
      c.save();
      c.beginPath();
      c.rect(this.gutter, 0, width - this.gutter, HEAD);
      c.clip();
      const every = [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 5000, 20000].find((n) => n * this.px >= 34) || 100000;
      for (let step = from - (from % every); step < to; step += every) {
        c.fillStyle = colour("rule");
        c.fillRect(x(step), HEAD - 5, 1, 5);
        c.fillStyle = colour("faint");
        c.fillText(String(step), x(step) + 3, HEAD / 2);
      }
      if (this.back !== null) {
        c.fillStyle = colour("ink");
        c.fillRect(x(this.back), HEAD - 3, x(this.steps) - x(this.back), 3);
        c.fillStyle = colour("sheet");
        c.fillRect(x(this.steps) - 17, 0, 17, HEAD - 4);
        c.fillStyle = colour("ink");
        c.fillText("↺", x(this.steps) - 13, HEAD / 2 - 1);
      }
      c.restore();
    }

    names(c, width, height, top, colour) {
      c.fillStyle = colour("paper");
      c.fillRect(0, HEAD, this.gutter, height);
      c.fillStyle = colour("faint");
      c.fillText(`step ${this.cursor}`, 8, HEAD / 2);
      c.save();
      c.beginPath();
      c.rect(0, HEAD, width, height);
      c.clip();
      this.shown.forEach((row, place) => {
        const y = HEAD + place * ROW - top;
        if (y > height || y + ROW < HEAD) return;
        if (row.heading !== undefined) {
          c.fillStyle = colour("faint");
          c.fillText(this.cut(c, row.heading, this.gutter - 12), 8, y + ROW / 2 + 2);
          return;
        }
        if (row === this.hovered) {
          c.fillStyle = colour("sheet");
          c.fillRect(0, y, this.gutter, ROW);
        }
        c.fillStyle = colour("ink");
        c.fillText(this.cut(c, row.name, this.gutter - this.values - 12), 8, y + ROW / 2);
        const value = row.values[this.cursor];
        c.fillStyle = colour("wave");
        c.fillText(this.cut(c, value === null ? "-" : value, this.values - 6), this.gutter - this.values + 2, y + ROW / 2);
      });
      c.restore();
      c.fillStyle = colour("rule");
      c.fillRect(this.gutter - 1, 0, 1, height);
      c.fillRect(0, HEAD - 1, width, 1);
    }

    say() {
      const row = this.hovered, value = row && row.values[this.cursor];
      const text = row ? `step ${this.cursor}: ${row.name} = ${value === null ? "-" : value}` : `step ${this.cursor}`;
      this.said.textContent = text;
      this.view.title = row ? text : "";
    }
  }

  const waves = [];
  // Only what comes into sight is drawn.
  const seen = new IntersectionObserver((entries) => entries.filter((e) => e.isIntersecting).forEach((entry) => {
    seen.unobserve(entry.target);
    waves.push(new Wave(entry.target));
  }), { rootMargin: "300px" });
  document.querySelectorAll(".wave").forEach((figure) => seen.observe(figure));
  const again = (fit) => waves.forEach((wave) => { wave.choose(); if (fit) wave.fit(); wave.draw(); });
  window.addEventListener("resize", () => again(false));
  window.matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => again(false));
  // On paper nobody scrolls: all steps side by side, all rows below each other.
  window.addEventListener("beforeprint", () => waves.forEach((wave) => {
    wave.choose();
    wave.view.style.height = wave.body.style.height;
    wave.px = Math.max(0.5, (wave.view.clientWidth - wave.gutter - 2) / wave.steps);
    wave.layout();
    wave.paint();
  }));
  window.addEventListener("afterprint", () => again(true));

  const marked = document.querySelector(".source .at");
  if (marked) {
    const pane = marked.parentElement;
    pane.scrollTop = marked.offsetTop - pane.offsetTop - pane.clientHeight / 3;
  }

  // The core of one proof alone.
  document.querySelectorAll("[data-core]").forEach((button) => button.addEventListener("click", () => {
    const source = document.querySelector(".source"), mine = button.dataset.core, chosen = source.dataset.chosen === mine;
    source.dataset.chosen = chosen ? "" : mine;
    source.classList.toggle("one-core", !chosen);
    source.querySelectorAll("mark").forEach((mark) => {
      mark.classList.toggle("chosen", !chosen && mark.dataset.of.split(" ").includes(mine));
    });
    document.querySelectorAll("[data-core]").forEach((other) => {
      other.setAttribute("aria-pressed", String(other === button && !chosen));
    });
  }));
})();
