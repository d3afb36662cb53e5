import { expect, test } from "vitest";
import { createPicker } from "../../../../../src/cli/chat/interface/screen/picker.ts";
import type { PickOptions } from "../../../../../src/cli/questions/reader.ts";
import type { Key } from "../../../../../src/cli/terminal/keys/key.ts";
import { toPlainText } from "../../../../../src/cli/terminal/text/line.ts";

const consent: PickOptions<string> = {
  title: "Let it run?",
  choices: [
    { value: "once", label: "Yes, this once", words: ["y", "yes"] },
    { value: "conversation", label: "Always", detail: "in this conversation", words: ["a"] },
    { value: "no", label: "No", words: ["n", "no"] },
  ],
};

test("with nothing in force an Enter takes nothing", () => {
  expect(choices(consent, "enter")).toEqual([]);
});

test("the arrow keys move and stop at both ends, Enter takes", () => {
  expect(choices(consent, "down", "down", "enter")).toEqual(["conversation"]);
  expect(choices(consent, "up", "enter")).toEqual(["no"]);
  expect(choices(consent, "down", "down", "down", "down", "down", "enter")).toEqual(["no"]);
  expect(choices({ ...consent, chosen: "conversation" }, "up", "up", "up", "enter")).toEqual(["once"]);
});

test("a typed word, a number or the beginning of a label finds its choice; another word none", () => {
  expect(choices(consent, typed("y"), "enter")).toEqual(["once"]);
  expect(choices(consent, typed("Y"), typed("ES"), "enter")).toEqual(["once"]);
  expect(choices(consent, typed("2"), "enter")).toEqual(["conversation"]);
  expect(choices(consent, typed("alw"), "enter")).toEqual(["conversation"]);
  expect(choices(consent, typed("quite"), "enter")).toEqual([]);
  expect(choices(consent, typed("x"), "backspace", typed("n"), "enter")).toEqual(["no"]);
});

test("in a list that filters, typed words leave what has them all, also in what is not shown", () => {
  const talks: PickOptions<string> = {
    title: "Which?",
    filters: true,
    chosen: "b",
    choices: [
      { value: "a", label: "Tea", search: "How long does green tea draw?" },
      { value: "b", label: "绿茶", search: "水温多少？" },
      { value: "more", label: "… 3 others", isAlwaysShown: true },
    ],
  };
  expect(choices(talks, "enter")).toEqual(["b"]);
  expect(choices(talks, typed("DRAW "), typed("tea"), "enter")).toEqual(["a"]);
  expect(choices(talks, typed("水温"), "down", "enter")).toEqual(["more"]);
  expect(choices(talks, typed("水温x"), "backspace", "enter")).toEqual(["b"]);
  expect(choices(talks, typed("none"), "enter")).toEqual(["more"]);
});

test("a filter that leaves nothing says how to see more; Ctrl-U shows all, and another control key leaves the list as it is", () => {
  const picking = { title: "Which?", filters: true, choices: [{ value: "a", label: "Tea" }] };
  const picker = createPicker({ picking, locale: "en", onDone() {} });
  const press = (...keys: Key[]): string[] => {
    for (const key of keys) picker.press(key);
    return picker.view({ columns: 90, rows: 10 }).lines.map(toPlainText);
  };
  const nothing = ["Which?", 'Nothing has "zzz" · Backspace changes it · Ctrl-U shows all · Esc cancels'];
  const all = ["Which?", "  Tea", "↑↓ choose · Enter confirms · Esc cancels"];
  expect(press(typed("zzz"))).toEqual(nothing);
  expect(press(named("enter"))).toEqual(nothing);
  expect(press({ ...typed("g"), ctrl: true })).toEqual(nothing);
  expect(press({ ...typed("b"), alt: true })).toEqual(nothing);
  expect(press({ ...typed("u"), ctrl: true })).toEqual(all);
  expect(press(typed("zzz"), named("enter"), { ...typed("u"), ctrl: true })).toEqual(all);
});

test("a label that is wider than the screen pushes what stands beside the others off it no more", () => {
  const long = { value: "a", label: "绿茶".repeat(30), detail: "2026-11-26 · 2 turns" };
  const picker = createPicker({
    picking: { title: "Which?", choices: [long, { ...long, value: "b", label: "Tea" }] },
    locale: "en",
    onDone() {},
  });
  const lines = picker.view({ columns: 60, rows: 10 }).lines.map(toPlainText);
  expect(lines.filter((line) => line.endsWith("2026-11-26 · 2 turns"))).toHaveLength(2);
  expect(lines[1]).toContain("绿茶绿茶");
  // Where there is no room for both, the label stands alone.
  expect(picker.view({ columns: 30, rows: 10 }).lines.map(toPlainText)[2]).toContain("Tea");
});

test("Escape leaves", () => {
  expect(choices(consent, "down", "escape")).toEqual([undefined]);
});

test("the one that is marked is in view however long the list is, and no line is wider than the screen", () => {
  const many = Array.from({ length: 100 }, (_, index) => ({
    value: index,
    label: `模型 ${index}`,
    detail: "x".repeat(90),
  }));
  const picker = createPicker({ picking: { title: "?", choices: many, chosen: 57 }, locale: "zh", onDone() {} });
  const lines = picker.view({ columns: 40, rows: 30 }).lines.map(toPlainText);
  expect(lines.length).toBeLessThan(20);
  expect(lines.find((line) => line.startsWith("❯"))).toContain("模型 57");
  for (const line of lines) expect(line.length).toBeLessThanOrEqual(40);
});

function choices<T>(picking: PickOptions<T>, ...keys: (Key["name"] | Key)[]): (T | undefined)[] {
  const taken: (T | undefined)[] = [];
  const picker = createPicker({ picking, locale: "en", onDone: (choice) => taken.push(choice?.value) });
  for (const key of keys) picker.press(typeof key === "string" ? named(key) : key);
  return taken;
}

function named(name: Key["name"]): Key {
  return { name, text: "", ctrl: false, alt: false, shift: false };
}

function typed(text: string): Key {
  return { ...named("text"), text };
}
