import { once } from "node:events";
import { PassThrough } from "node:stream";
import { expect, onTestFinished, test, vi } from "vitest";
import type { Key } from "../../../../src/cli/terminal/keys/key.ts";
import { readKeys } from "../../../../src/cli/terminal/keys/read-keys.ts";

test("keys come as they are typed, in raw mode, until the reading is closed", async () => {
  const { stdin, keys, reading, modes } = open();
  stdin.write("a");
  stdin.write("\u001b[A");
  await vi.waitUntil(() => keys.length === 2, { timeout: 60_000 });
  expect(keys.map(({ name }) => name)).toEqual(["text", "up"]);
  reading.close();
  stdin.write("b");
  expect(modes).toEqual([true, false]);
  expect(stdin.isPaused()).toBe(true);
  expect(keys).toHaveLength(2);
});

test("an escape alone is a key after a moment", async () => {
  const { stdin, keys } = open();
  stdin.write("\u001b");
  await vi.waitUntil(() => keys.length > 0, { timeout: 60_000 });
  expect(keys.map(({ name }) => name)).toEqual(["escape"]);
});

test("whoever closes it at a key gets none behind it", async () => {
  const { stdin, keys, reading } = open((key) => {
    if (key.text === "q") reading.close();
  });
  stdin.write("aqb");
  await vi.waitUntil(() => keys.length > 1, { timeout: 60_000 });
  expect(keys.map(({ text }) => text)).toEqual(["a", "q"]);
});

test("an input that ends says so once, behind what stood half read", async () => {
  const { stdin, keys, ends } = open();
  stdin.end("a\u001b");
  await once(stdin, "close");
  expect(keys.map(({ name }) => name)).toEqual(["text", "escape"]);
  expect(ends()).toBe(1);
});

test("a terminal that fails is the end of the input, and nothing it says later is thrown", async () => {
  const { stdin, ends } = open();
  const closed = new Promise((resolve) => stdin.once("close", resolve));
  stdin.destroy(new Error("EIO"));
  await closed;
  expect(ends()).toBe(1);
  expect(stdin.emit("error", new Error("EIO again"))).toBe(true);
});

test("an input that has ended before says so too", async () => {
  const stdin = asTerminal([]);
  stdin.destroy();
  await new Promise<void>((resolve) => {
    readKeys(stdin, () => {}, resolve);
  });
});

function open(onKey: (key: Key) => void = () => {}) {
  const modes: boolean[] = [];
  const stdin = asTerminal(modes);
  const keys: Key[] = [];
  let ended = 0;
  const reading = readKeys(
    stdin,
    (key) => {
      keys.push(key);
      onKey(key);
    },
    () => {
      ended += 1;
    },
  );
  onTestFinished(() => reading.close());
  return { stdin, keys, reading, modes, ends: () => ended };
}

/** A stream that takes part as a terminal's. */
function asTerminal(modes: boolean[]) {
  return Object.assign(new PassThrough(), { isTTY: true, setRawMode: (isRaw: boolean) => void modes.push(isRaw) });
}
