import { expect, test } from "vitest";
import { createNotifier } from "../../../../../src/cli/chat/interface/screen/notifier.ts";
import { chooseNotification, renderNotification } from "../../../../../src/cli/terminal/screen/notifications.ts";
import type { AgentEvent } from "../../../../../src/core/run/events.ts";

const ended = { type: "run-end", outcome: { status: "complete" } } as AgentEvent;
const keepTitle = "\u001b[22;2t\u001b]2;● Duet: the answer is ready\u001b\\";

function open(way: "bell" | "osc9" | undefined) {
  let time = 0;
  const sent: string[] = [];
  let isOpen = true;
  function send(text: string): boolean {
    if (isOpen) sent.push(text);
    return isOpen;
  }
  const notifier = createNotifier({ way, handler: { locale: "en" }, send, now: () => time });
  notifier.beginRun();
  const pass = (ms: number): void => {
    time += ms;
  };
  const open = (opened: boolean): void => {
    isOpen = opened;
  };
  return { ...notifier, pass, open, take: () => sent.splice(0) };
}

test("without word of the focus, the end of a run is told where no key came for ten seconds", () => {
  const { pass, handle, noteKey, take } = open("osc9");
  pass(9_999);
  handle(ended);
  expect(take()).toEqual([]);
  pass(1);
  handle(ended);
  expect(take()).toEqual([`${keepTitle}\u001b]9;Duet: the answer is ready\u001b\\`]);
  noteKey();
  noteKey();
  expect(take()).toEqual(["\u001b[23;2t"]);
});

test("a terminal that says who has the focus decides it, and the title comes back with the focus", () => {
  const { pass, tellOfQuestion, handle, setFocus, take } = open("bell");
  setFocus(true);
  pass(60_000);
  handle(ended);
  expect(take()).toEqual([]);
  setFocus(false);
  tellOfQuestion();
  expect(take()).toEqual([expect.stringMatching(/a question waits for you\u001b\\\u0007$/)]);
  setFocus(true);
  expect(take()).toEqual(["\u001b[23;2t"]);
});

test("a title that a screen did not take is not given back, and one that it has is given back once it takes it", () => {
  const { pass, handle, noteKey, open: openScreen, take } = open("osc9");
  pass(60_000);
  openScreen(false);
  handle(ended);
  openScreen(true);
  noteKey();
  expect(take()).toEqual([]);
  pass(60_000);
  handle(ended);
  take();
  openScreen(false);
  noteKey();
  openScreen(true);
  noteKey();
  expect(take()).toEqual(["\u001b[23;2t"]);
});

test("whoever wants none gets none, and a run that was stopped needs none", () => {
  const off = open(undefined);
  off.pass(60_000);
  off.handle(ended);
  const { pass, handle, take } = open("osc9");
  pass(60_000);
  handle({ type: "run-end", outcome: { status: "cancelled" } } as AgentEvent);
  expect([...off.take(), ...take()]).toEqual([]);
});

test.each([
  [{ TERM_PROGRAM: "iTerm.app" }, "osc9"],
  [{ TERM: "xterm-kitty" }, "osc99"],
  [{ TERM: "xterm-kitty", TMUX: "/tmp/tmux-0/default,1,0" }, "bell"],
  [{ TERM: "xterm-256color" }, "bell"],
])("%j is told by %s", (environment, way) => {
  expect(chooseNotification({ environment, configured: "auto" })).toBe(way);
  expect(chooseNotification({ environment, configured: "off" })).toBeUndefined();
});

test("no text can end the sequence that carries it", () => {
  expect(renderNotification("osc99", "a\u001b\\b\u0007c")).toMatch(/^\u001b\]99;;Duet: [^\p{Cc}]*\u001b\\$/u);
});
