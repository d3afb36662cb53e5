import { expect, test } from "vitest";
import { claimOutput, type SharedOutput } from "../../../../src/cli/terminal/screen/claim-output.ts";

function stream(isTTY = true) {
  const written: string[] = [];
  const output: SharedOutput = {
    ...{ isTTY, columns: 80, rows: 24, writable: true },
    write(chunk, encoding, done) {
      written.push(typeof chunk === "string" ? chunk : Buffer.from(chunk).toString());
      const told = typeof encoding === "function" ? encoding : done;
      told?.();
      return true;
    },
    on: () => undefined,
    off: () => undefined,
  };
  return { output, written };
}

test("what others write to the terminal comes line by line, what the screen writes gets there", async () => {
  const [stdout, stderr] = [stream(), stream()];
  const heard: string[] = [];
  const claimed = claimOutput({ stdout: stdout.output, stderr: stderr.output }, (line) => void heard.push(line));
  stdout.output.write("one\r\ntw");
  const bytes = Buffer.from("文\u001b[2J\n");
  stderr.output.write(bytes.subarray(0, 2));
  stderr.output.write(bytes.subarray(2));
  stdout.output.write("o\nthree");
  await new Promise<void>((resolve) => void stdout.output.write("!", () => resolve()));
  claimed.stdout.write("ours");
  expect(heard).toEqual(["one", "文\u001b[2J", "two"]);
  claimed.release();
  expect(heard.at(-1)).toBe("three!");
  stdout.output.write("after");
  expect(stdout.written).toEqual(["ours", "after"]);
  expect(stderr.written).toEqual([]);
});

test("an stderr that goes to a file is left alone, and a line without an end is not kept for ever", () => {
  const [stdout, stderr] = [stream(), stream(false)];
  const heard: string[] = [];
  claimOutput({ stdout: stdout.output, stderr: stderr.output }, (line) => void heard.push(line));
  stderr.output.write("to the file");
  expect(stderr.written).toEqual(["to the file"]);
  for (let piece = 0; piece < 30; piece++) stdout.output.write("x".repeat(1_000));
  expect(heard.join("")).toHaveLength(22_000);
});
