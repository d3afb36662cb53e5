import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { temporaryFiles } from "../tools/builtin/files.ts";

const run = promisify(execFile);

const code = `import { collectNotices } from "./scripts/build/collect-notices.mjs";
process.stdout.write(await collectNotices([JSON.parse(process.argv[1])]));`;

/** What is written about a bundle with these files of `node_modules`, by the bytes that are in the output. */
async function collect(root: string, bytes: Record<string, number>): Promise<string> {
  const inputs = Object.fromEntries(
    Object.entries(bytes).map(([file, bytesInOutput]) => [join(root, file), { bytesInOutput }]),
  );
  const metafile = JSON.stringify({ outputs: { "dist/a.js": { inputs } } });
  return (await run(process.execPath, ["--input-type=module", "-e", code, metafile])).stdout;
}

const describe = (name: string): string => JSON.stringify({ name, version: "1.0.0", license: "MIT" });
const files = {
  "node_modules/one/package.json": describe("one"),
  "node_modules/one/LICENSE": "MIT, by Ann",
  "node_modules/one/NOTICE.md": "Ann's notice",
  "node_modules/one/index.js":
    "/*! from elsewhere, by Eve */ export const a = 1; // @license is no comment of its own here",
  "node_modules/@a/two/package.json": describe("@a/two"),
  "node_modules/@a/two/licence.txt": "MIT, by Bob",
  "node_modules/@a/two/index.js": "export const b = 2;",
  "node_modules/one/node_modules/three/package.json": describe("three"),
  "node_modules/one/node_modules/three/LICENSE": "MIT, by Bob",
  "node_modules/one/node_modules/three/lib/index.js": "export const c = 3;",
  "node_modules/left-out/package.json": describe("left-out"),
  "node_modules/left-out/LICENSE": "GPL",
  "node_modules/left-out/index.js": "export const d = 4;",
  "node_modules/readme/package.json": describe("readme"),
  "node_modules/readme/readme.md": "# readme\n\n## License\n\n(MIT)\n\nPermission is hereby granted\n\n## More\n\nmore",
  "node_modules/readme/index.js": "export const f = 6;",
  "node_modules/without/README.md": "# without\n\n## License\n\nMIT",
  "node_modules/without/package.json": describe("without"),
  "node_modules/without/index.js": "export const e = 5;",
};

test("the notices have the licences of what is in the output, each text once, with the legal comments of the code", async () => {
  await using root = await temporaryFiles(files);
  const notices = await collect(root.path, {
    "node_modules/one/index.js": 10,
    "node_modules/@a/two/index.js": 10,
    "node_modules/one/node_modules/three/lib/index.js": 10,
    "node_modules/left-out/index.js": 0,
    "node_modules/readme/index.js": 1,
  });
  const [, first, second, third, ...rest] = notices.split(/^-{20,}\n/m);
  expect(first).toBe("@a/two 1.0.0 (MIT)\nthree 1.0.0 (MIT)\n\nMIT, by Bob\n\n");
  expect(second).toBe("one 1.0.0 (MIT)\n\nMIT, by Ann\n\nAnn's notice\n\n/*! from elsewhere, by Eve */\n\n");
  expect(third).toBe("readme 1.0.0 (MIT)\n\n(MIT)\n\nPermission is hereby granted\n\n");
  expect(rest).toEqual([]);
});

test("a bundled package without a licence ends the build", async () => {
  await using root = await temporaryFiles(files);
  await expect(collect(root.path, { "node_modules/without/index.js": 1 })).rejects.toThrow(
    /without 1\.0\.0 is bundled, but \S+without has no licence file/,
  );
});
