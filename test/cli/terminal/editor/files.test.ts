import { execFileSync } from "node:child_process";
import { link, mkdir, readFile, symlink, truncate, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { attachFiles, describeAttached } from "../../../../src/cli/terminal/editor/files/attach-files.ts";
import { createCompleteFiles, findMentions, toPath } from "../../../../src/cli/terminal/editor/files/complete-files.ts";
import { toPastedMentions } from "../../../../src/cli/terminal/editor/files/pasted-files.ts";
import { createFileGuard } from "../../../../src/tools/files/file-guard.ts";
import { startCpuClock } from "../../../fakes/cpu-time.ts";
import { images } from "../../../fakes/images.ts";
import { patienceMs } from "../../../runner/patience.ts";
import { temporaryFolder } from "./temporary-folder.ts";

/** A busy machine may take longer than a person waits. */
const patient = { limitMs: patienceMs, treeMs: patienceMs };

describe("completion of @path", () => {
  test("gives the folder's files and folders, hidden ones where a dot is typed", async () => {
    const cwd = await project();
    const complete = createCompleteFiles({ cwd, home: join(cwd, "src") }, patient);
    expect(await completions("look at @")).toEqual(["@my\\ notes.txt ", "@readme.md ", "@src/"]);
    expect(await completions("看看@RE")).toEqual(["@readme.md "]);
    expect(await completions("@src/")).toEqual(["@src/link.ts ", "@src/main.ts "]);
    expect(await completions("@~/m")).toEqual(["@~/main.ts "]);
    expect(await completions("@.")).toEqual(["@.hidden "]);
    expect(await completions("@my\\ n")).toEqual(["@my\\ notes.txt "]);
    expect(await completions(`@${cwd}/src/m`)).toEqual([`@${cwd}/src/main.ts `]);

    async function completions(text: string): Promise<string[]> {
      return (await complete(text))?.completions.map((completion) => completion.text) ?? [];
    }
  });

  test("finds files and folders below by parts of their paths, without what git ignores", async () => {
    const cwd = await project();
    await mkdir(join(cwd, "lib/space/.git"), { recursive: true });
    await mkdir(join(cwd, "dist"));
    for (const file of ["lib/space/docker.ts", "lib/space/log.txt", "lib/space/keep.txt", "dist/docker.js", "lib/a.md"])
      await writeFile(join(cwd, file), "");
    await writeFile(join(cwd, ".gitignore"), "dist/\n*.txt\n");
    await writeFile(join(cwd, "lib/space/.gitignore"), "!keep.txt\n");
    const complete = createCompleteFiles({ cwd, home: cwd }, patient);
    const completions = async (text: string) => (await complete(text))?.completions.map((each) => each.text);
    expect(await completions("@space")).toEqual(["@lib/space/", "@lib/space/keep.txt ", "@lib/space/docker.ts "]);
    expect(await completions("see @dock")).toEqual(["@lib/space/docker.ts "]);
    expect(await completions("@lspdo")).toEqual(["@lib/space/docker.ts "]);
    expect(await completions("@.txt")).toBeUndefined();
    // The rules of the folders above hold in a folder of the same work tree.
    await mkdir(join(cwd, ".git"));
    const inner = createCompleteFiles({ cwd: join(cwd, "lib"), home: cwd }, patient);
    expect((await inner("@space/"))?.completions.map((each) => each.text)).toContain("@space/log.txt ");
    expect((await inner("@og"))?.completions).toBeUndefined();
  });

  test("keeps the quote with which a path begins, and closes it behind a file", async () => {
    const cwd = await project();
    await writeFile(join(cwd, "src/o'k.ts"), "");
    const complete = createCompleteFiles({ cwd, home: join(cwd, "src") }, patient);
    const completions = async (text: string) => (await complete(text))?.completions.map((each) => each.text);
    expect(await completions("see @'")).toEqual(["@'my notes.txt' ", "@'readme.md' ", "@'src/"]);
    expect(await completions("see @'my n")).toEqual(["@'my notes.txt' "]);
    expect(await completions('看看@"My n')).toEqual(['@"my notes.txt" ']);
    expect(await completions("@“src/m")).toEqual(["@“src/main.ts” "]);
    expect(await completions("@'notes")).toEqual(["@'my notes.txt' "]);
    expect(await completions("@'~/m")).toEqual(["@'~/main.ts' "]);
    // What the quotes cannot hold is completed without them.
    expect(await completions("@'src/o")).toEqual(["@src/o'k.ts "]);
    expect(await completions('@"src/o')).toEqual(['@"src/o\'k.ts" ']);
    expect(await completions("@'my notes.txt' and")).toBeUndefined();
  });

  test("is none for an address, a folder that is not there and other text", async () => {
    const complete = createCompleteFiles({ cwd: await project(), home: "/" }, patient);
    for (const text of ["a@b", "@nowhere/", "\\@src", "no file", "@src/main.ts and"]) {
      expect(await complete(text)).toBeUndefined();
    }
  });

  test("gives at most 50, and no name that holds a control character", async () => {
    const cwd = await temporaryFolder();
    for (let index = 0; index < 60; index++) await writeFile(join(cwd, `${index}`), "");
    await writeFile(join(cwd, "evil\u001b[2J"), "");
    const complete = createCompleteFiles({ cwd, home: cwd }, patient);
    expect((await complete("@"))?.completions).toHaveLength(50);
    expect(await complete("@ev")).toBeUndefined();
  });
});

describe("files that a question names", () => {
  test("come behind it, fenced by their names", async () => {
    const cwd = await project();
    const { question, attached, problems } = await attach("explain @src/main.ts, and @my\\ notes.txt", cwd);
    expect(attached).toEqual([
      { name: "src/main.ts", characters: 11 },
      { name: "my notes.txt", characters: 5 },
    ]);
    expect(problems).toEqual([]);
    expect(question).toMatch(
      /^explain @src\/main\.ts, and @my\\ notes\.txt\n\nAttached files .*\n\n<<<file (\w{32}) "src\/main\.ts"\nconst a = 1\nfile \1>>>\n\n<<<file (\w{32}) "my notes.txt"\nnotes\nfile \2>>>$/,
    );
  });

  test("are found in Chinese text without spaces, and once only", async () => {
    const cwd = await project();
    const { attached } = await attach("看看@src/main.ts这个文件（@readme.md），还有@./readme.md。", cwd);
    expect(attached.map(({ name }) => name)).toEqual(["src/main.ts", "readme.md"]);
  });

  test.each([
    ["double quotes", '@"my notes.txt" and @"src/main.ts"里的 @"readme.md"!'],
    ["single quotes", "@'my notes.txt' and @'src/main.ts'里的 @'readme.md'!"],
    ["Chinese quotes", "@“my notes.txt” and @‘src/main.ts’里的 @“readme.md”！"],
  ])("may stand in %s, with blanks, and with text right behind them", async (_, text) => {
    const { attached, problems } = await attach(text, await project());
    expect(attached.map(({ name }) => name)).toEqual(["my notes.txt", "src/main.ts", "readme.md"]);
    expect(problems).toEqual([]);
  });

  test("in quotes may hold the other kind of quotes, and may begin with one behind a backslash", async () => {
    const cwd = await project();
    await writeFile(join(cwd, "it's mine.txt"), "a");
    await writeFile(join(cwd, "'tis"), "a");
    const { attached } = await attach("@\"it's mine.txt\" @\\'tis", cwd);
    expect(attached.map(({ name }) => name)).toEqual(["it's mine.txt", "'tis"]);
  });

  test("in quotes that are missing are told where they look like files", async () => {
    const cwd = await project();
    const missing = await attach('@"no such picture 图.png" or @"words of a person"', cwd);
    expect(missing.problems.map(({ en }) => en)).toEqual(["Not attached: @no such picture 图.png does not exist"]);
  });

  test("may be links, and stand in the home folder", async () => {
    const cwd = await project();
    const { attached } = await attach("@src/link.ts @~/main.ts", cwd);
    expect(attached.map(({ name }) => name)).toEqual(["src/link.ts", "~/main.ts"]);
  });

  test("that are none leave the text as it is; a backslash keeps an @", async () => {
    const cwd = await project();
    const text = "mail a@b.com about @scope/package and @me";
    expect(await attach(text, cwd)).toEqual({
      question: text,
      attachments: [],
      attached: [],
      problems: [],
    });
    expect((await attach("say \\@readme.md", cwd)).question).toBe("say @readme.md");
  });

  test("may be folders, which are the names of what is in them, without what git ignores", async () => {
    const cwd = await project();
    await writeFile(join(cwd, "src", "out.log"), "");
    await writeFile(join(cwd, "src", ".gitignore"), "*.log");
    const { question, attached } = await attach("what is in @src/", cwd);
    expect(attached).toEqual([{ name: "src/", characters: 7 }]);
    expect(question).toMatch(/<<<file (\w{32}) "src\/"\nmain\.ts\nfile \1>>>$/);
    await mkdir(join(cwd, "state"));
    const guard = createFileGuard({ files: [], folders: [join(cwd, "state")] });
    const signal = new AbortController().signal;
    expect(await attachFiles("@state", { cwd, home: cwd, guard, locale: "en", signal })).toMatchObject({
      attached: [],
    });
  });

  test("that cannot be attached are told, each with the reason", async () => {
    const cwd = await project();
    execFileSync("mkfifo", [join(cwd, "pipe")]);
    await writeFile(join(cwd, "large"), "x".repeat(200_001));
    await writeFile(join(cwd, "photo.heic"), "\0\0\0\u0018ftypheic");
    await writeFile(join(cwd, "nul"), "\0\u0001\u0002".repeat(40));
    await writeFile(join(cwd, "old.doc"), Buffer.from("d0cf11e0a1b11ae1", "hex"));
    await writeFile(join(cwd, "huge.pdf"), "%PDF-1.7\n\0");
    await truncate(join(cwd, "huge.pdf"), 20_000_001);
    await writeFile(join(cwd, "cut.png"), images.png.subarray(0, 30));
    await writeFile(join(cwd, "bytes"), Buffer.from("010203040506", "hex"));
    await writeFile(join(cwd, "zip"), "PK\u0003");
    const named = "@pipe @large @photo.heic @nul @bytes @zip @old.doc @huge.pdf @cut.png @/dev/zero @no.txt里的 @~/no";
    const { attached, attachments, problems } = await attach(named, cwd);
    expect(attachments).toEqual([]);
    expect(attached).toEqual([]);
    expect(problems.map(({ en }) => en)).toEqual([
      "Not attached: @pipe is not a regular file",
      "Not attached: @large is too large (at most 200000 bytes)",
      "Not attached: @photo.heic is image/heic (allowed: PNG, JPEG, GIF, WebP)",
      "Not attached: @nul is of no type that can be read (allowed: images, PDF, .docx, .xlsx, text)",
      "Not attached: @bytes is of no type that can be read (allowed: images, PDF, .docx, .xlsx, text)",
      "Not attached: @zip is of no type that can be read (allowed: images, PDF, .docx, .xlsx, text)",
      "Not attached: @old.doc is in an old Office format (allowed: .docx, .xlsx; save it as one of these)",
      "Not attached: @huge.pdf is too large (allowed: at most 20 MB)",
      "Not attached: @cut.png cannot be used: the image is damaged or incomplete",
      "Not attached: @/dev/zero is not a regular file",
      "Not attached: @no.txt does not exist",
      "Not attached: @~/no does not exist",
    ]);
  });

  test("are not attached where they are protected, by whatever name", async () => {
    const cwd = await project();
    const secret = "SECRET-0123456789";
    await mkdir(join(cwd, "state"));
    const names = ["team.json", "team.json.bak", ".env", ".env.local", "id_rsa", "state/notes.txt"];
    for (const name of [...names, "public"]) await writeFile(join(cwd, name), secret);
    await symlink("team.json", join(cwd, "soft.txt"));
    await symlink("id_rsa", join(cwd, "key.txt"));
    await link(join(cwd, "team.json"), join(cwd, "hard.txt"));
    await symlink("public", join(cwd, "server.pem"));
    names.push("soft.txt", "key.txt", "hard.txt", "server.pem", "/proc/self/environ");
    const { question, attached, problems } = await attach(names.map((name) => `@${name}`).join(" "), cwd);
    expect(question).not.toContain(secret);
    expect(attached).toEqual([]);
    expect(problems.map(({ en }) => en)).toEqual(
      names.map((name) => `Not attached: @${name} is protected (Duet's configuration or data, or a file of keys)`),
    );
    expect(problems[0]?.zh).toBe("未附上 @team.json：受保护的文件（Duet 的配置、数据或密钥）");
  });

  test("are at most 1 MB in all", async () => {
    const cwd = await temporaryFolder();
    const names = ["1", "2", "3", "4", "5", "6"];
    for (const name of names) await writeFile(join(cwd, name), "x".repeat(200_000));
    const { attached, problems } = await attach(names.map((name) => `@${name}`).join(" "), cwd);
    expect(attached).toHaveLength(5);
    expect(problems).toEqual([
      { zh: "未附上 @6：附件总量超过 1 MB", en: "Not attached: @6 would make the attachments larger than 1 MB" },
    ]);
  });

  test("that are images and documents come beside it, at most 20", async () => {
    const cwd = await temporaryFolder();
    await writeFile(join(cwd, "my picture.png"), images.png);
    const report = await readFile("test/fixtures/documents/report.docx");
    await writeFile(join(cwd, "report.docx"), report);
    const gbk = Buffer.from("b3c7cad0", "hex");
    await writeFile(join(cwd, "gbk.csv"), gbk);
    const { question, attachments, attached } = await attach(
      "what is @my\\ picture.png in @report.docx，@gbk.csv?",
      cwd,
    );
    expect(question).toBe("what is @my\\ picture.png in @report.docx，@gbk.csv?");
    expect(attachments).toEqual([
      { name: "my picture.png", bytes: images.png },
      { name: "report.docx", bytes: report },
      { name: "gbk.csv", bytes: gbk },
    ]);
    expect(attached.map(describeAttached).map(({ en }) => en)).toEqual([
      `📎 my picture.png (${images.png.length} B)`,
      "📎 report.docx (37 kB)",
      "📎 gbk.csv (4 B)",
    ]);
    const names = Array.from({ length: 21 }, (_, index) => `${index}.gif`);
    for (const name of names) await writeFile(join(cwd, name), images.gif);
    const many = await attach(names.map((name) => `@${name}`).join(" "), cwd);
    expect(many.attachments).toHaveLength(20);
    expect(many.problems).toEqual([
      { zh: "未附上 @20.gif：附件超过 20 个", en: "Not attached: @20.gif would be more than 20 attachments" },
    ]);
  });

  test("are read no more once the signal aborts", async () => {
    const cwd = await project();
    const guard = createFileGuard({ files: [], folders: [] });
    const options = { cwd, home: cwd, locale: "en", guard, signal: AbortSignal.abort(new Error("stopped")) } as const;
    await expect(attachFiles("@readme.md", options)).rejects.toThrow("stopped");
  });
});

test.each([
  ["a path with escaped spaces, as terminals drop it", "/home/me/my\\ picture.png ", "@/home/me/my\\ picture.png "],
  ["a quoted path", "'/home/me/my picture.png'", "@/home/me/my\\ picture.png "],
  ["a path with spaces", "/home/me/my picture.JPG", "@/home/me/my\\ picture.JPG "],
  ["several", "/a.png '/b c.pdf'", "@/a.png @/b\\ c.pdf "],
  ["a file: address", "file:///home/me/%E5%9B%BE%20a.webp\n", "@/home/me/图\\ a.webp "],
  ["a path of Windows", "C:\\Users\\me\\a.png", "@C:\\\\Users\\\\me\\\\a.png "],
  ["a path in the home folder", "~/table.xlsx", "@~/table.xlsx "],
])("a paste of %s becomes a mention", (_, pasted, mention) => {
  expect(toPastedMentions(pasted, "")).toBe(mention);
  expect(toPastedMentions(pasted, "see")).toBe(` ${mention}`);
  expect([...findMentions(mention)].map(({ typed }) => toPath(typed))[0]).toMatch(/\.(png|webp|xlsx|jpg)$/i);
});

test.each([
  "see /a.png",
  "a.png",
  "/src/main.ts",
  "https://x.example/a.png",
  "/a.png\nwhat is it",
  "file://host/%zz.png",
])("a paste of %j stays text", (pasted) => {
  expect(toPastedMentions(pasted, "")).toBe(pasted);
});

test.each(["@“", '@"', "@'", "@‘", "@“a ", "@ “", "@\\"])("a megabyte of %j is searched in one pass", (piece) => {
  const text = piece.repeat(1_000_000 / piece.length);
  const usedMs = startCpuClock();
  const longest = [...findMentions(text)].reduce((most, { typed }) => Math.max(most, typed.length), 0);
  expect(usedMs()).toBeLessThan(3_000);
  // An escaped character counts once.
  expect(longest).toBeLessThanOrEqual(2_000);
});

async function attach(text: string, cwd: string) {
  const guard = createFileGuard({ files: [join(cwd, "team.json")], folders: [join(cwd, "state")] });
  return attachFiles(text, { cwd, home: join(cwd, "src"), locale: "en", guard, signal: AbortSignal.timeout(5_000) });
}

async function project(): Promise<string> {
  const cwd = await temporaryFolder();
  await mkdir(join(cwd, "src"));
  await writeFile(join(cwd, "src", "main.ts"), "const a = 1");
  await symlink("main.ts", join(cwd, "src", "link.ts"));
  await writeFile(join(cwd, "readme.md"), "# Read");
  await writeFile(join(cwd, "my notes.txt"), "notes");
  await writeFile(join(cwd, ".hidden"), "");
  return cwd;
}
