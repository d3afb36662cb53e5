import { setImmediate, setTimeout } from "node:timers/promises";
import { createRunView } from "../../src/cli/chat/steps/create-run-view.ts";
import { createStepLog } from "../../src/cli/chat/steps/step-log.ts";
import { createMarkdownStream } from "../../src/cli/terminal/markdown/markdown-stream.ts";
import { chooseReflow } from "../../src/cli/terminal/screen/choose-reflow.ts";
import { paintLine } from "../../src/cli/terminal/screen/paint-line.ts";
import { createScreen } from "../../src/cli/terminal/screen/screen.ts";
import { createTheme } from "../../src/cli/terminal/screen/theme.ts";
import { markdownPieces } from "../markdown-pieces.mjs";
import { watchedOutput } from "./watched-output.mjs";

/** Of CPU. Where pieces come one by one, V8's own threads and 10,000 wake-ups weigh more than the drawing. */
const limits = { "as fast as they come": 300, "2,000 a second": 500 };
const pieces = markdownPieces(10_000);
const columns = 200;

/** The parts of the terminal in this process, with no program round them. */
export async function measure() {
  const paces = { "as fast as they come": () => () => setImmediate(), "2,000 a second": pacedAt(2000) };
  // What is imported on the way, and compiled, is counted where the built program runs.
  const first = openView(watchedOutput(columns, 50));
  await cpuTime(first.take, () => setImmediate(), first.close);
  for (const [name, pace] of Object.entries(paces)) {
    const bare = await cpuTime(() => {}, pace());
    const stdout = watchedOutput(columns, 50);
    const { take, close } = openView(stdout);
    const shown = await cpuTime(take, pace(), close);
    const own = shown - bare;
    console.log(
      `10,000 pieces, ${name.padEnd(20)} ${own.toFixed(0).padStart(4)} ms CPU (${shown.toFixed(0)} in all), ${Math.round(stdout.bytes / 1000)} kB`,
    );
    if (stdout.rewritten.length > 0)
      throw new Error(`finished lines are written again: ${stdout.rewritten.slice(0, 3)}`);
    if (stdout.finished < 300) throw new Error(`only ${stdout.finished} marked lines were finished`);
    if (own > limits[name]) throw new Error(`showing them takes ${own.toFixed(0)} ms, above ${limits[name]} ms`);
  }
}

function openView(stdout) {
  const look = { theme: createTheme("dark"), hyperlinks: true };
  let view;
  const inner = createScreen({
    stdout,
    reflow: chooseReflow({}),
    paint: (line) => paintLine(line, look),
    draw: ({ rows }) => ({ lines: view?.live(rows) ?? [] }),
  });
  const screen = {
    get size() {
      return inner.size;
    },
    write(lines) {
      stdout.finishes(lines);
      inner.write(lines);
    },
    refresh: () => inner.refresh(),
    refreshNow: () => inner.refreshNow(),
  };
  const steps = createStepLog();
  const openMarkdown = () =>
    createMarkdownStream({ columns: () => inner.size.columns, hyperlinks: true, locale: "en", changed: inner.refresh });
  view = createRunView({ screen, steps, locale: "en", openMarkdown, verbose: false });
  return {
    take(event) {
      steps.handle(event);
      view.handle(event);
      inner.refresh();
    },
    async close() {
      await view.close();
      inner.close();
    },
  };
}

/** Milliseconds of CPU, user and system, for all pieces. */
async function cpuTime(take, pace, close = () => {}) {
  const before = process.cpuUsage();
  take({ type: "phase-start", phase: "answer", step: 1, model: "bench/m", reason: "enough" });
  for (const text of pieces) {
    take({ type: "answer-delta", text });
    await pace();
  }
  await close();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
}

function pacedAt(perSecond) {
  return () => {
    const began = performance.now();
    let count = 0;
    return async () => {
      count += 1;
      const early = began + (count * 1000) / perSecond - performance.now();
      if (early > 4) await setTimeout(early);
    };
  };
}
