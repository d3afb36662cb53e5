import fc from "fast-check";
import { describe, expect, onTestFinished, test } from "vitest";
import { inputModes } from "../../../../src/cli/terminal/keys/input-modes.ts";
import { chooseReflow } from "../../../../src/cli/terminal/screen/choose-reflow.ts";
import { paintLine } from "../../../../src/cli/terminal/screen/paint-line.ts";
import { createScreen, type OpenScreen, type ScreenOptions } from "../../../../src/cli/terminal/screen/screen.ts";
import type { Live } from "../../../../src/cli/terminal/screen/screen-types.ts";
import { createTheme } from "../../../../src/cli/terminal/screen/theme.ts";
import { createLine, type Line } from "../../../../src/cli/terminal/text/line.ts";
import { createEmulatedOutput, type EmulatedOutput } from "./emulated-output.ts";

/** A screen on an emulated terminal, and what is live on it. */
interface Stage {
  readonly emulator: EmulatedOutput;
  readonly screen: OpenScreen;
  show(lines: readonly string[], cursor?: Live["cursor"]): void;
  /** How often what is live was asked for. */
  readonly frames: number;
}

function paint(line: Line): string {
  return paintLine(line, { theme: createTheme("dark"), hyperlinks: false });
}

function openStage(columns = 40, rows = 10, options: Partial<ScreenOptions> = {}): Stage {
  const emulator = createEmulatedOutput(columns, rows);
  let live: Live = { lines: [] };
  let frames = 0;
  const screen = createScreen({
    stdout: emulator.stdout,
    paint,
    draw() {
      frames++;
      return live;
    },
    reflow: chooseReflow({ TERM_PROGRAM: "vscode" }),
    ...options,
  });
  onTestFinished(() => screen.close());
  return {
    emulator,
    screen,
    show(lines, cursor) {
      live = { lines: lines.map((line) => createLine(line)), cursor };
      screen.refreshNow();
    },
    get frames() {
      return frames;
    },
  };
}

test("finished lines stand above what is live, in order", async () => {
  const { emulator, screen, show } = openStage();
  show(["> typed", "status"], { row: 0, column: 7 });
  screen.write([createLine("one", "good"), createLine("二")]);
  screen.refreshNow();
  show(["> typed more", "status"], { row: 0, column: 12 });
  expect(await emulator.rows()).toEqual(["one", "二", "> typed more", "status"]);
  expect(await emulator.cursor()).toEqual({ row: 2, column: 12 });
});

test("what is finished by the time of a frame is above what is live in that frame", async () => {
  const growing = ["one", "two"];
  const { emulator, screen } = openStage(40, 10, {
    beforeFrame: () => screen.write(growing.splice(0, 1).map((line) => createLine(line))),
    draw: () => ({ lines: growing.map((line) => createLine(line)) }),
  });
  screen.refreshNow();
  expect(emulator.takeBytes().match(/one|two/g)).toEqual(["one", "two"]);
  screen.refreshNow();
  expect(await emulator.rows()).toEqual(["one", "two"]);
});

test("nothing is written when nothing has changed, and of a changed line only that line", () => {
  const { emulator, show } = openStage();
  show(["first", "second", "third"], { row: 0, column: 0 });
  emulator.takeBytes();
  show(["first", "second", "third"], { row: 0, column: 0 });
  expect(emulator.takeBytes()).toBe("");
  show(["first", "changed", "third"], { row: 0, column: 0 });
  expect(emulator.takeBytes()).not.toMatch(/first|third/);
});

test("a frame is one synchronized update in which lines cannot wrap", () => {
  const { emulator, show } = openStage();
  show(["a line"]);
  expect(emulator.takeBytes()).toMatch(/^\u001b\[\?2026h\u001b\[\?7l.*a line.*\u001b\[\?7h.*\u001b\[\?2026l$/s);
});

test("many requests make one frame", async () => {
  const stage = openStage();
  for (let count = 0; count < 1000; count++) {
    stage.screen.write([createLine(`line ${count}`)]);
    stage.screen.refresh();
  }
  expect(stage.frames).toBe(0);
  await expect.poll(() => stage.frames).toBe(1);
  expect(await stage.emulator.rows()).toHaveLength(1000);
});

test("what is higher than the screen is cut at its top, the cursor kept in view", async () => {
  const { emulator, show } = openStage(20, 4);
  show(["1", "2", "3", "4", "5", "6"], { row: 5, column: 1 });
  expect(await emulator.rows()).toEqual(["4", "5", "6"]);
  show(["1", "2", "3", "4", "5", "6"], { row: 1, column: 1 });
  expect(await emulator.rows()).toEqual(["2", "3", "4"]);
  expect(await emulator.cursor()).toEqual({ row: 0, column: 1 });
});

test("a live line that is too wide is cut, a finished one wrapped", async () => {
  const { emulator, screen, show } = openStage(10, 5);
  show(["a live line that is wide"]);
  screen.write([createLine("a finished line")]);
  screen.refreshNow();
  expect(await emulator.rows()).toEqual(["a finished", "line", "a live li…"]);
});

describe("a terminal that does not read", () => {
  test("is sent nothing until it does, and then all finished lines and the last frame", async () => {
    const stage = openStage();
    stage.emulator.stopReading();
    stage.show(["first"]);
    stage.emulator.takeBytes();
    stage.screen.write([createLine("finished")]);
    stage.show(["skipped"]);
    stage.show(["last"]);
    expect(stage.emulator.takeBytes()).toBe("");
    stage.emulator.readOn();
    const bytes = stage.emulator.takeBytes();
    expect(bytes).toContain("finished");
    expect(bytes).not.toContain("skipped");
    expect(await stage.emulator.rows()).toEqual(["finished", "last"]);
  });

  test("is given back as it was all the same", () => {
    const { emulator, screen, show } = openStage();
    emulator.stopReading();
    show(["hidden cursor"]);
    emulator.takeBytes();
    screen.write([createLine("finished")]);
    screen.close();
    expect(emulator.takeBytes()).toMatch(/finished.*\u001b\[\?25h/s);
  });
});

test("a terminal that is gone is written to no more, and nothing throws", () => {
  const { emulator, screen, show } = openStage();
  show(["first"]);
  emulator.breakOff();
  emulator.takeBytes();
  show(["second"]);
  screen.write([createLine("finished")]);
  screen.close();
  expect(emulator.takeBytes()).toBe("");
});

describe("a closed screen", () => {
  test("leaves the finished lines, the cursor below them and every mode as it was", async () => {
    const { emulator, screen, show } = openStage(40, 10, { modes: inputModes });
    const opened = emulator.takeBytes();
    show(["thinking", "> "]);
    screen.write([createLine("finished")]);
    screen.close();
    const bytes = emulator.takeBytes();
    expect(opened).toBe("\u001b[?2004h\u001b[>1u\u001b[>4;2m\u001b[?1004h");
    expect(bytes.endsWith("\u001b[?1004l\u001b[>4m\u001b[<u\u001b[?2004l")).toBe(true);
    for (const mode of ["25", "7"]) expect(bytes.lastIndexOf(`?${mode}l`)).toBeLessThan(bytes.lastIndexOf(`?${mode}h`));
    expect(await emulator.rows()).toEqual(["finished"]);
    expect(await emulator.cursor()).toEqual({ row: 1, column: 0 });
  });

  test("is closed once, also by its signal or the end of the process", () => {
    const listeners = process.listenerCount("exit");
    const stop = new AbortController();
    const { emulator, screen, show } = openStage(40, 10, { signal: stop.signal, modes: inputModes });
    show(["live"]);
    emulator.takeBytes();
    stop.abort();
    expect(emulator.takeBytes()).toContain("\u001b[?2004l");
    screen.close();
    show(["more"]);
    expect(emulator.takeBytes()).toBe("");
    expect(process.listenerCount("exit")).toBe(listeners);
  });

  test("only writes the lines that come later", async () => {
    const { emulator, screen } = openStage();
    screen.close();
    screen.write([createLine("goodbye")]);
    expect(await emulator.rows()).toEqual(["goodbye"]);
  });
});

const words = fc.constantFrom("word", "a longer word", "中文字符", "表情 👩‍👩‍👧 🎉", "x".repeat(30), "é", "");
const text = fc.array(words, { maxLength: 5 }).map((parts) => parts.join(" "));
const writing = fc.record({ does: fc.constant("write" as const), text });
const showing = fc.record({
  does: fc.constant("show" as const),
  lines: fc.array(text, { maxLength: 8 }),
  cursor: fc.option(fc.record({ row: fc.nat(8), column: fc.nat(50) }), { nil: undefined }),
});

function resizing(rows: { min: number; max: number }) {
  return fc.record({
    does: fc.constant("resize" as const),
    columns: fc.integer({ min: 10, max: 60 }),
    rows: fc.integer(rows),
  });
}

test.each([
  ["in a terminal that nobody knows", {}],
  ["in one that is known", { TERM_PROGRAM: "vscode" }],
])(
  "finished lines are never touched again, whatever is live and however the screen changes, %s",
  async (_, environment) => {
    const step = fc.oneof(writing, showing, resizing({ min: 3, max: 14 }));
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 12 }), async (steps) => {
        const { emulator, screen, show } = openStage(40, 8, { reflow: chooseReflow(environment) });
        const finished: string[] = [];
        for (const step of steps) {
          if (step.does === "resize") await emulator.resize(step.columns, step.rows);
          else if (step.does === "show") show(step.lines, step.cursor);
          else {
            finished.push(`<${finished.length}>${step.text}.`);
            screen.write([createLine(finished.at(-1) ?? "")]);
            screen.refreshNow();
          }
        }
        screen.close();
        const bytes = emulator.takeBytes();
        expect(finished.map((_, index) => bytes.split(`<${index}>`).length - 1)).toEqual(finished.map(() => 1));
        const all = (await emulator.rows()).join("").replaceAll(" ", "");
        const found = finished.map((line) => all.split(line.replaceAll(" ", "")).length - 1);
        expect(found).toEqual(finished.map(() => 1));
      }),
      { numRuns: 50 },
    );
  },
);

test("after a resize nothing is left of what was live before, however its lines were wrapped", async () => {
  const live = fc.record({
    lines: fc.array(text, { minLength: 1, maxLength: 3 }),
    row: fc.nat(2),
    column: fc.nat(59),
    columns: fc.integer({ min: 30, max: 60 }),
  });
  await fc.assert(
    fc.asyncProperty(fc.array(live, { minLength: 1, maxLength: 8 }), async (steps) => {
      const { emulator, screen, show } = openStage(60, 20);
      screen.write([createLine("finished")]);
      for (const { lines, row, column, columns } of steps) {
        show(lines, { row, column });
        await emulator.resize(columns, 20);
      }
      show(["last"]);
      expect(await emulator.rows()).toEqual(["finished", "last"]);
      screen.close();
    }),
    { numRuns: 50 },
  );
});
