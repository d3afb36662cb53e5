// Draws the screens of a terminal emulator as one SVG that plays them in turn: text, looks and widths as the terminal has them,
// no scripts, nothing from outside. Where nothing moves (a printer, `prefers-reduced-motion`) the last screen stands.

const cell = { width: 8.4, height: 18, size: 14 };
const margin = 14;
const fonts =
  "ui-monospace,'SF Mono',Menlo,Consolas,'DejaVu Sans Mono','Noto Sans Mono CJK SC','PingFang SC','Microsoft YaHei',monospace";
const ground = "#16181d";
const ink = "#d7dae0";
/** The sixteen colours of a terminal, the dark eight first. */
const palette = [
  ...["#3b4048", "#e06c75", "#98c379", "#e5c07b", "#61afef", "#c678dd", "#56b6c2", "#abb2bf"],
  ...["#7f848e", "#ff7b86", "#b5e08f", "#f0d399", "#7cc0ff", "#d89aec", "#73d0dc", "#ffffff"],
];

/** One screen as rows of runs: `{ column, cells, text, look }`. */
export function readScreen(terminal) {
  const { baseY } = terminal.buffer.active;
  const rows = Array.from({ length: terminal.rows }, (_, row) => readRow(terminal.buffer.active.getLine(baseY + row)));
  return { rows, key: JSON.stringify(rows) };
}

function readRow(line) {
  const runs = [];
  for (let column = 0; line && column < line.length; column++) {
    const read = line.getCell(column);
    const cells = read.getWidth();
    if (cells === 0) continue;
    const text = read.getChars() || " ";
    const look = lookOf(read);
    const last = runs.at(-1);
    const follows = last && last.look === look && last.wide === (cells === 2) && last.column + last.cells === column;
    if (follows && !isPicture(text) && !isPicture(last.text)) {
      last.text += text;
      last.cells += cells;
    } else runs.push({ column, cells, text, look, wide: cells === 2 });
  }
  return runs.filter(({ text, look }) => text.trim() !== "" || look.includes("fill"));
}

function isPicture(text) {
  return /\p{Extended_Pictographic}/u.test(text);
}

/** The attributes of its text, and behind a bar the colour of its ground. */
function lookOf(read) {
  let color = read.isFgDefault() ? ink : colorOf(read.getFgColor(), read.isFgPalette());
  let behind = read.isBgDefault() ? "" : colorOf(read.getBgColor(), read.isBgPalette());
  if (read.isInverse()) [color, behind] = [behind || ground, color];
  const parts = [
    color !== ink && `fill="${color}"`,
    read.isBold() && 'font-weight="bold"',
    read.isDim() && 'opacity=".6"',
    read.isItalic() && 'font-style="italic"',
    read.isUnderline() && 'text-decoration="underline"',
    read.isStrikethrough() && 'text-decoration="line-through"',
  ];
  return `${parts.filter(Boolean).join(" ")}|${behind}`;
}

function colorOf(number, isOfPalette) {
  if (!isOfPalette) return `#${number.toString(16).padStart(6, "0")}`;
  return palette[number] ?? ink;
}

/**
 * @param frames `{ screen, holdMs }` in order, of one size
 * @param size `{ columns, lines }`
 * @param title what it shows, for those who cannot see it
 */
export function drawSession(frames, { columns, lines }, title) {
  const width = Math.ceil(columns * cell.width + 2 * margin);
  const height = lines * cell.height + 2 * margin;
  const known = new Map();
  const drawn = frames.map(({ screen }, index) => drawFrame(screen, index, known));
  const defs = [...known].map(([row, id]) => `<g id="${id}">${row}</g>`);
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" xml:space="preserve" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img">`,
    `<title>${escaped(title)}</title>`,
    `<style>text{white-space:pre;fill:${ink}}g.f{visibility:hidden}g.f:last-child{visibility:visible}`,
    `@media (prefers-reduced-motion:no-preference){${timing(frames)}}</style>`,
    `<defs>${defs.join("\n")}</defs>`,
    `<rect width="${width}" height="${height}" rx="8" fill="${ground}"/>`,
    `<g transform="translate(${margin} ${margin})" font-family="${fonts}" font-size="${cell.size}">`,
    ...drawn,
    "</g></svg>\n",
  ].join("\n");
}

function drawFrame({ rows }, index, known) {
  const uses = rows.flatMap((runs, row) => {
    if (runs.length === 0) return [];
    const drawing = runs.map(drawRun).join("");
    if (!known.has(drawing)) known.set(drawing, `r${known.size.toString(36)}`);
    return [`<use href="#${known.get(drawing)}" y="${row * cell.height}"/>`];
  });
  return `<g class="f" id="f${index}">${uses.join("")}</g>`;
}

function drawRun({ column, cells, text, look }) {
  const [attributes, behind] = look.split("|");
  const x = round(column * cell.width);
  const wide = round(cells * cell.width);
  const rect = behind ? `<rect x="${x}" width="${wide}" height="${cell.height}" fill="${behind}"/>` : "";
  if (text.trim() === "") return rect;
  const length = isPicture(text) || /^[─│┌┐└┘├┤┬┴┼]+$/.test(text) ? "" : ` textLength="${wide}"`;
  return `${rect}<text x="${x}" y="${cell.size}"${length}${attributes && ` ${styled(attributes)}`}>${escaped(text)}</text>`;
}

/** A rule in the style sheet would win over a fill attribute. */
function styled(attributes) {
  return attributes.replace(/fill="([^"]+)"/, 'style="fill:$1"');
}

function timing(frames) {
  const all = frames.reduce((sum, { holdMs }) => sum + holdMs, 0);
  let at = 0;
  const rules = frames.map(({ holdMs }, index) => {
    const [from, to] = [at, at + holdMs].map((ms) => round((100 * ms) / all));
    at += holdMs;
    const before = index === 0 ? "" : "0%{visibility:hidden}";
    const after = index === frames.length - 1 ? "" : `${to}%{visibility:hidden}`;
    return `@keyframes k${index}{${before}${from}%{visibility:visible}${after}}#f${index}{animation:k${index} ${all / 1000}s step-end infinite}`;
  });
  return rules.join("\n");
}

function round(value) {
  return Number(value.toFixed(2));
}

function escaped(text) {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}
