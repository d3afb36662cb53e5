import { globSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { readDocument } from "./pages.ts";

const code = globSync("src/**/*.ts").map((file) => readFileSync(file, "utf8"));
const pages = ["docs/troubleshooting.md", "docs/troubleshooting.zh.md"];

test.each(pages)("each message on %s stands in the program, piece by piece", (page) => {
  const messages = readMessages(page);
  expect(messages.length).toBeGreaterThan(40);
  expect(messages.flatMap(listMissingPieces)).toEqual([]);
});

test("both languages explain the same number of messages under each heading", () => {
  const [english = [], chinese = []] = pages.map((page) =>
    readDocument(page)
      .split(/^## /m)
      .map((part) => part.match(/^\| `/gm)?.length ?? 0),
  );
  expect(chinese).toEqual(english);
});

test("a message that the program does not have is found", () => {
  expect(listMissingPieces("rate limit reached … by the moon")).toEqual(["by the moon"]);
});

/** Returns the first cells of the tables, which hold a message as code. */
function readMessages(page: string): string[] {
  return [...readDocument(page).matchAll(/^\| `([^`]+)` \|/gm)].map(([, message = ""]) => message);
}

/** Returns the pieces between the dots that no file has as they are; a single file has to have all of them. */
function listMissingPieces(message: string): string[] {
  const pieces = message.split("…").map((piece) => piece.trim());
  const isInOneFile = code.some((text) => pieces.every((piece) => text.includes(piece)));
  return isInOneFile
    ? []
    : pieces
        .filter((piece) => !code.some((text) => text.includes(piece)))
        .concat(pieces.every((piece) => code.some((text) => text.includes(piece))) ? [message] : []);
}
