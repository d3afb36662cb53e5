import { describe, expect, onTestFinished, test } from "vitest";
import type { PageBytes } from "../../../src/tools/page/page.ts";
import { createHeavyWork, type HeavyWorkOptions } from "../../../src/tools/workers/heavy-work.ts";
import { patienceMs } from "../../runner/patience.ts";
import { makePdf, makePdfBomb } from "../page/make-pdf.ts";
import { endless, html, sentence } from "./pages.ts";
import { workersOf } from "./processes.ts";

const never = new AbortController().signal;
const patience = { timeout: patienceMs };

function open(options?: HeavyWorkOptions) {
  const work = createHeavyWork(options);
  onTestFinished(() => work.close());
  return {
    ...work,
    read(page: PageBytes, signal = never) {
      const reading = work.run("page", page, signal);
      // What is still open when a test fails ends with it, and is not a failure of its own.
      reading.catch(() => {});
      return reading;
    },
  };
}

const read = (n: number) => ({ page: { text: `Sentence ${n}.` } });
const tooLarge = { code: "tool", message: expect.stringContaining("more memory than is allowed") };

describe("heavy work", () => {
  test("is done for many at once", async () => {
    const { read: readPage } = open();
    const numbers = Array.from({ length: 50 }, (_, n) => n);
    expect(await Promise.all(numbers.map((n) => readPage(sentence(n))))).toMatchObject(numbers.map(read));
  });

  test("of one kind holds up no other", async () => {
    const { read: readPage, run } = open();
    const cancelled = new AbortController();
    const heavy = readPage(endless(), cancelled.signal);
    expect(await readPage(sentence(1))).toMatchObject(read(1));
    const conversion = {
      data: "a: 1",
      ending: "",
      from: undefined,
      to: "json",
      indent: 0,
      columns: undefined,
    } as const;
    expect(await run("convert", conversion, never)).toMatchObject({ from: "yaml", text: '{"a":1}' });
    cancelled.abort(new Error("enough"));
    await expect(heavy).rejects.toThrow("enough");
  });

  test("tells what it refuses", async () => {
    const conversion = { data: "{", ending: "", from: "json", to: "yaml", indent: 0, columns: undefined } as const;
    await expect(open().run("convert", conversion, never)).rejects.toMatchObject({
      name: "DuetError",
      code: "tool",
      text: { en: expect.stringContaining("The JSON is not valid"), zh: expect.stringContaining("第 1 行") },
    });
  });

  test("takes bytes that share their memory", async () => {
    const bytes = makePdf([["One page"]]);
    const page = { ...html(""), kind: "pdf", bytes: Buffer.concat([bytes, bytes]).subarray(0, bytes.length) } as const;
    expect(await open().read(page)).toMatchObject({ page: { text: "One page" } });
  });

  test("is stopped when it takes too long, and leaves no process", async () => {
    const before = workersOf(process.pid);
    await expect(open({ limitMs: 700 }).read(endless())).rejects.toMatchObject({ code: "timeout" });
    expect(workersOf(process.pid)).toEqual(before);
  });

  test("that fills the heap fails alone", async () => {
    const { read: readPage, run } = open({ memoryMb: 100, mostAtOnce: 1, limitMs: 60_000 });
    const data = `[${"1,".repeat(1_000_000)}1]`;
    const conversion = { data, ending: "", from: "json", to: "yaml", indent: 0, columns: undefined } as const;
    const heavy = run("convert", conversion, never);
    const next = readPage(sentence(2));
    await expect(heavy).rejects.toMatchObject(tooLarge);
    expect(await next).toMatchObject(read(2));
  });

  test("that fills memory beside the heap fails alone", async () => {
    const { read: readPage } = open({ memoryMb: 128, mostAtOnce: 1, limitMs: 60_000 });
    const bytes = makePdfBomb(1000);
    expect(bytes.length).toBeLessThan(20_000);
    const heavy = readPage({ ...html(""), kind: "pdf", bytes });
    const next = readPage(sentence(2));
    await expect(heavy).rejects.toMatchObject(tooLarge);
    expect(await next).toMatchObject(read(2));
  });

  test("stops when nobody wants it any more, and what waits goes on", async () => {
    const { read: readPage } = open({ mostAtOnce: 1 });
    const cancelled = new AbortController();
    const under = readPage(endless(), cancelled.signal);
    const waiting = readPage(sentence(1), cancelled.signal);
    const next = readPage(sentence(2));
    cancelled.abort(new Error("enough"));
    await expect(under).rejects.toThrow("enough");
    await expect(waiting).rejects.toThrow("enough");
    expect(await next).toMatchObject(read(2));
  });

  test("is refused where too much is waiting", async () => {
    const { read: readPage } = open({ mostAtOnce: 1, mostWaiting: 1 });
    const first = [readPage(sentence(1)), readPage(sentence(2))];
    await expect(readPage(sentence(3))).rejects.toMatchObject({ code: "overloaded" });
    await Promise.all(first);
    expect(await readPage(sentence(4))).toMatchObject(read(4));
  });

  test("starts again after it was idle, and after it was closed", async () => {
    const before = workersOf(process.pid);
    const { read: readPage, close } = open({ idleMs: 1 });
    expect(await readPage(sentence(1))).toMatchObject(read(1));
    await expect.poll(() => workersOf(process.pid), patience).toEqual(before);
    expect(await readPage(sentence(2))).toMatchObject(read(2));
    const heavy = readPage(endless());
    const failed = expect(heavy).rejects.toMatchObject({ code: "tool" });
    await expect.poll(() => workersOf(process.pid).length, patience).toBeGreaterThan(before.length);
    await close();
    await failed;
    expect(workersOf(process.pid)).toEqual(before);
    expect(await readPage(sentence(3))).toMatchObject(read(3));
  });
});
