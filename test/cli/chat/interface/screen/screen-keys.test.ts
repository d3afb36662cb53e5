import { PassThrough } from "node:stream";
import { expect, onTestFinished, test, vi } from "vitest";
import { createInputQueue } from "../../../../../src/cli/chat/interface/input-queue.ts";
import { createInterrupts } from "../../../../../src/cli/chat/interface/screen/interrupts.ts";
import { createTypingAhead, type Panel } from "../../../../../src/cli/chat/interface/screen/picker.ts";
import { readScreenKeys } from "../../../../../src/cli/chat/interface/screen/screen-keys.ts";
import { createEditor } from "../../../../../src/cli/terminal/editor/create-editor.ts";
import { noFolds } from "../../../../../src/cli/terminal/editor/folds.ts";
import type { Key } from "../../../../../src/cli/terminal/keys/key.ts";

function openKeys({
  panel,
  isBusy = false,
  isUnasked = false,
  edit,
}: {
  panel?: Panel;
  isBusy?: boolean;
  isUnasked?: boolean;
  edit?: (text: string) => Promise<{ text: string }>;
} = {}) {
  const stdin = new PassThrough();
  const history = { entries: ["earlier"], add() {} };
  const editor = createEditor({ complete: async () => undefined, history, onChange() {}, locale: () => "en" });
  const queue = createInputQueue();
  const handler = {
    locale: "en",
    offered: undefined,
    message: () => false,
    takeMessages: vi.fn(() => []),
    stop: vi.fn(() => isBusy),
    expand: vi.fn(),
  } as const;
  const interrupts = createInterrupts({ handler, onChange() {} });
  const screen = { refreshNow() {}, suspend: vi.fn(), resume: vi.fn() };
  const report = vi.fn();
  const end = vi.fn();
  const typingAhead = createTypingAhead();
  const keys = readScreenKeys({
    ...{ stdin, handler, editor, queue, questions: { panel }, interrupts, typingAhead, screen, onEnd: end },
    notifier: { noteKey() {}, setFocus() {} },
    isRunShown: () => isUnasked,
    folds: noFolds,
    edit:
      edit ?? (async (text) => (text === "" ? { problem: { zh: "", en: "no editor" } } : { text: `${text}, edited` })),
    report,
  });
  onTestFinished(() => keys.close());
  async function press(codes: string): Promise<void> {
    stdin.write(codes);
    await new Promise(setImmediate);
  }
  return { editor, queue, handler, end, press, screen, report, keys };
}

test("a key that a question does not know changes nothing below it, and still drives the chat", async () => {
  const view = () => ({ lines: [] });
  const { editor, handler, end, press } = openKeys({ panel: { press: () => false, view } });
  await press("\u001b[A");
  await press("text");
  expect(editor.text).toBe("");
  await press("\u000f\u0004");
  expect(handler.expand).toHaveBeenCalledOnce();
  expect(end).toHaveBeenCalledOnce();
});

test("keys that come before a question could be read are the input's, though not where its reader has asked for it", async () => {
  const asked: Key[] = [];
  const panel = { press: (key: Key) => asked.push(key) > 0, view: () => ({ lines: [] }) };
  const unasked = openKeys({ panel, isUnasked: true });
  await unasked.press("y\r");
  expect([asked, unasked.queue.waiting]).toEqual([[], ["y"]]);
  await openKeys({ panel }).press("y\r");
  expect(asked.map(({ name }) => name)).toEqual(["text", "enter"]);
});

test("without a question the same keys are the input's", async () => {
  const { editor, press } = openKeys();
  await press("\u001b[A");
  expect(editor.text).toBe("earlier");
});

test("Ctrl-C gives back what waits while something goes on, drops what is typed, and leaves at the second", async () => {
  const busy = openKeys({ isBusy: true });
  await busy.press("one\rtwo\rhalf");
  expect(busy.queue.waiting).toEqual(["one", "two"]);
  await busy.press("\u0003");
  expect([busy.editor.text, busy.queue.waiting]).toEqual(["one\ntwo\nhalf", []]);
  const idle = openKeys();
  await idle.press("half\u0003");
  expect(idle.editor.text).toBe("");
  await idle.press("\u0003");
  expect(idle.end).not.toHaveBeenCalled();
  await idle.press("\u0003");
  expect(idle.end).toHaveBeenCalledOnce();
});

test("messages stay with a run that cannot be stopped any more", async () => {
  const { handler, press } = openKeys();
  await press("half\u0003");
  expect(handler.takeMessages).not.toHaveBeenCalled();
});

test("Ctrl-X gives the terminal to an editor, whose text takes the place of the input; what goes wrong changes nothing", async () => {
  const { editor, press, screen, report } = openKeys();
  await press("\u0018");
  expect([editor.text, report.mock.calls]).toEqual(["", [[{ zh: "", en: "no editor" }]]]);
  await press("a question");
  await press("\u0018");
  expect(editor.text).toBe("a question, edited");
  await press("!");
  expect(editor.text).toBe("a question, edited!");
  expect([screen.suspend.mock.calls.length, screen.resume.mock.calls.length]).toEqual([2, 2]);
});

test("Ctrl-X does nothing to the input behind a question", async () => {
  const { editor, press, screen } = openKeys({ panel: { press: () => false, view: () => ({ lines: [] }) } });
  editor.set("half typed");
  await press("\u0018");
  expect([editor.text, screen.suspend.mock.calls.length]).toEqual(["half typed", 0]);
});

test("a second editor is not opened while one has the terminal", async () => {
  const edited = Promise.withResolvers<{ text: string }>();
  const edit = vi.fn(() => edited.promise);
  const { editor, press, screen, keys } = openKeys({ edit });
  await press("\u0018");
  const second = keys.editText("queued");
  edited.resolve({ text: "from the first" });
  await second;
  expect([editor.text, edit.mock.calls.length, screen.resume.mock.calls.length]).toEqual(["from the first", 1, 1]);
});

test("of what waited for a run that is stopped, messages come back and commands are named", async () => {
  const { editor, queue, press, report } = openKeys({ isBusy: true });
  for (const text of ["first", "/model x", "!make", "second"]) queue.push(text);
  await press("half");
  await press("\u0003");
  expect([editor.text, queue.waiting]).toEqual(["first\nsecond\nhalf", []]);
  expect(report.mock.calls[0]?.[0].en).toBe("Not run: /model x, !make (Up brings them back)");
  editor.set("");
  queue.push("/model x");
  await press("\u0003");
  expect([editor.text, report.mock.calls.length]).toEqual(["/model x", 1]);
});
