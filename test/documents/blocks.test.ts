import { existsSync, globSync, readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { countBlocks, findIndentedCode, findTagProblem, readBlocks, runElsewhere, taggedDocuments } from "./blocks.ts";
import { findBlockProblem } from "./check-block.ts";

const blocks = taggedDocuments.flatMap((file) => readBlocks(file));

test("every block of the documents says whether it is run, parsed or, with a reason, neither", () => {
  expect(blocks.length).toBeGreaterThan(200);
  expect(blocks.flatMap((block) => findTagProblem(block) ?? [])).toEqual([]);
  expect(taggedDocuments.flatMap((file) => findIndentedCode(file))).toEqual([]);
  const named = blocks.flatMap(({ tag }) => tag?.reason?.match(/\btest\/[\w/.-]*\w/g) ?? []);
  expect(named.filter((file) => !existsSync(file))).toEqual([]);
});

test("what runs a block elsewhere is there, and a page with code that it does not name fails", () => {
  for (const file of Object.values(runElsewhere)) expect(existsSync(file), file).toBe(true);
  const library = blocks.filter(({ tag }) => tag?.way === "run" && tag.kind === "library");
  const test = readFileSync("test/library/examples.test.ts", "utf8");
  expect(library.filter(({ file }) => !test.includes(`"${file}"`))).toEqual([]);
});

test("the files of the replicas stand in their page as they are", () => {
  const files = globSync("docs/install/replicas/*");
  expect(files.length).toBeGreaterThan(2);
  for (const page of ["docs/replicas-setup.md", "docs/replicas-setup.zh.md"]) {
    const shown = readBlocks(page).map(({ text }) => text);
    for (const file of files) expect(shown, `${page} shows ${file}`).toContain(readFileSync(file, "utf8"));
  }
});

const parsed = blocks.filter(({ tag }) => tag?.way === "parsed");
const cases = parsed.map((block) => ({ ...block, title: `${block.file}:${block.line}` }));

test.each(cases)("$title ($language) is what it says", async (block) => {
  expect(await findBlockProblem(block)).toBeUndefined();
});

test("what is typed in a block that is neither run nor parsed is a command all the same", async () => {
  const consoles = blocks.filter(({ language, tag }) => tag?.way === "untested" && /^(?:sh|console)$/.test(language));
  const checked = consoles.map((block) => findBlockProblem({ ...block, tag: { way: "parsed", kind: "commands" } }));
  expect((await Promise.all(checked)).filter((problem) => problem !== undefined)).toEqual([]);
});

describe("a block that is wrong", () => {
  const fence = "```";
  function readOne(info: string, text: string) {
    const [block] = readBlocks("page.md", `# Page\n\n${fence}${info}\n${text}\n${fence}\n`);
    if (block === undefined) throw new Error("there is no block");
    return block;
  }

  test.each([
    ["sh", "page.md:3: the block ```sh is not tagged"],
    ["", "page.md:3: the block is not tagged"],
    ["text untested", "page.md:3: the block ```text untested is not tagged"],
    ["text untested: ", "page.md:3: the block"],
  ])("has no tag: %j", (info, problem) => {
    expect(findTagProblem(readOne(info, "duet"))).toContain(problem);
  });

  test("is set off by spaces", () => {
    expect(findIndentedCode("page.md", "# Page\n\n    duet\n\n- a list\n\n    that goes on\n")).toEqual([
      "page.md:3: code is set off by spaces (allowed: a fenced block with a tag)",
    ]);
  });

  test.each([
    ["sh parsed", "npm install && duet aks 'hi'", "aks"],
    ["sh parsed", "duet ask --locael en hi", "locael"],
    ["console parsed", "$ cat a | npx -y duet-mcp ask --mode fast hi\nan answer", "fast"],
    ["sh parsed", "curl -s localhost:3000/agent/chats -d '{}'", "there is no path /agent/chats"],
    ["sh parsed", "curl -s -X DELETE localhost:3000/agent/chat", "has no DELETE"],
    ["sh parsed", `curl -s localhost:3000/agent/chat -d '{"massage":"hi"}'`, "must have required property 'message'"],
    ["json parsed", '{ "agent": { "maxIteration": 2 } }', "maxIteration"],
    ["jsonc parsed=settings", '"agent": { "maxIterations": 2000 } // too many', "2000 is not allowed"],
    ["json parsed=cases", '{ "cases": [{ "id": "a" }] }', "question"],
    ["json parsed=host", '{ "a": { "command": "npx", "args": ["duet-mcp", "server"] } }', "server"],
    ["json parsed=Outcome", '{ "success": true }', "must have required property"],
    ["json parsed=Outcomes", "{}", "nobody knows how to parse Outcomes"],
    ["text parsed=events", 'event: draft-end\ndata: {"type":"draft-end"}', "must have required property"],
    ["markdown parsed=own-command", "---\nmode: fast\n---\nExplain", "fast"],
    ["text parsed=text-turn", 'Action: calculator\nAction Input: {"expr": "1"}', "must NOT have additional properties"],
    ["ts parsed", "const a = ;", "Unexpected"],
    ["toml parsed", "a = ", "Invalid TOML"],
    ["yaml parsed", "a: [", "YAML"],
  ])("is found: %s %s", async (info, text, problem) => {
    expect(await findBlockProblem(readOne(info, text))).toContain(problem);
  });
});

test("blocks are counted by page and by what tests them", () => {
  const counts = new Map(countBlocks());
  expect(counts.get("docs/start.md")?.run).toBeGreaterThan(1);
  const sum = [...counts.values()].reduce((total, { run, parsed, untested }) => total + run + parsed + untested, 0);
  expect(sum).toBe(blocks.length);
});
