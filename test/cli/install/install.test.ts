import { chmod, mkdir, readdir, readFile, readlink, stat, symlink, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import { type InstallCommand, runInstall } from "../../../src/cli/install/install.ts";
import { listHosts } from "../../../src/cli/install/list-hosts.ts";
import { loadConfig } from "../../../src/config/load-config.ts";
import { temporaryFolder } from "../../fakes/program.ts";
import { built, linux } from "./machine.ts";

interface Told {
  /** Of the exit. */
  code: number;
  output: string;
}

/** A home of its own with these files in it. */
async function homeWith(files: Record<string, string> = {}): Promise<string> {
  const home = await temporaryFolder();
  for (const [name, text] of Object.entries(files)) {
    await mkdir(dirname(join(home, name)), { recursive: true });
    await writeFile(join(home, name), text);
  }
  return home;
}

async function run(home: string, options: Partial<InstallCommand> = {}, environment = {}): Promise<Told> {
  let output = "";
  const code = await runInstall({
    ...{ host: "cursor", name: "duet", isProject: false, isRemoval: false, isDryRun: false, yes: true },
    ...{ withValues: false, words: [], locale: "en", now: new Date(2026, 10, 22, 9, 5, 3) },
    machine: { ...linux, home, directory: home, environment },
    program: built,
    config: await loadConfig({}, { HOME: home, ...environment }, home),
    write: (text) => {
      output += text;
    },
    ...options,
  });
  return { code, output };
}

const other = '{\n  "mcpServers": {\n    "other": { "command": "x" }\n  }\n}\n';

test("the change is shown, what was there is kept under the time of day, and both have the mode it had", async () => {
  const home = await homeWith({ ".cursor/mcp.json": other });
  const file = join(home, ".cursor/mcp.json");
  await chmod(file, 0o640);
  const { code, output } = await run(home);
  expect(code).toBe(0);
  expect(output).toContain(`+    "duet": {\n`);
  expect(output).toContain(
    `Wrote ${file}; the previous file is kept as ${file}.duet-backup-20261122-090503.\nWrote ${home}/.config/duet/config.json.\nRestart Cursor`,
  );
  expect(await readFile(`${file}.duet-backup-20261122-090503`, "utf8")).toBe(other);
  const names = (await readdir(dirname(file))).sort();
  expect(names).toEqual(["mcp.json", "mcp.json.duet-backup-20261122-090503"]);
  for (const name of names) expect((await stat(join(dirname(file), name))).mode & 0o777).toBe(0o640);
});

test("a second time there is nothing to do, and a third backup never takes the place of the second", async () => {
  const home = await homeWith({ ".cursor/mcp.json": other });
  await run(home);
  expect((await run(home)).output).toContain("duet is already in ");
  const { output } = await run(home, { isRemoval: true, config: undefined });
  expect(output).toMatch(/\.\nQuit Cursor and start it again: until then it may still run duet\.\n$/);
  expect(await readFile(join(home, ".cursor/mcp.json"), "utf8")).toBe(other);
  expect(await readdir(join(home, ".cursor"))).toHaveLength(3);
  expect((await run(home, { isRemoval: true, config: undefined })).output).toContain("duet is not in ");
});

test("where there is no file yet, one for the user alone is made, and a host that is not there is told", async () => {
  const home = await homeWith();
  const { output } = await run(home, { host: "vscode" });
  const file = join(home, ".config/Code/User/mcp.json");
  expect(output).toContain("VS Code has no folder on this machine: is it installed?\n");
  expect(output).toContain(`Wrote ${file}.\n`);
  expect(JSON.parse(await readFile(file, "utf8"))).toEqual({
    servers: {
      duet: {
        ...{ type: "stdio", command: built.node },
        args: [built.file, "serve", "--config", join(home, ".config/duet/config.json")],
      },
    },
  });
  expect((await stat(file)).mode & 0o777).toBe(0o600);
});

test("where there is no configuration, one with the recommended limits is written, after a dry run has announced it", async () => {
  const home = await homeWith({ ".cursor/mcp.json": other });
  const config = join(home, ".config/duet/config.json");
  const announced = `There is no configuration file: ${config} will be written with recommended values (maxIterations 10, maxToolCalls 25, maxTokens 8000, functionCallTemperature 0) and the reasons.\n`;
  expect((await run(home, { isDryRun: true })).output).toContain(announced);
  await expect(stat(config)).rejects.toThrow("ENOENT");
  expect((await run(home)).output).toContain(announced);
  const { agent } = await loadConfig({}, { HOME: home }, home);
  expect(agent).toMatchObject({ maxIterations: 10, maxToolCalls: 25, maxTokens: 8000 });
});

test("a configuration that cannot be written is told, and the host has its entry all the same", async () => {
  const home = await homeWith({ ".cursor/mcp.json": other, ".config": "not a folder" });
  const { code, output } = await run(home);
  expect(code).toBe(0);
  expect(output).toMatch(/config\.json could not be written: /);
  expect(await readFile(join(home, ".cursor/mcp.json"), "utf8")).toContain('"duet"');
});

test("a link to the file stays a link", async () => {
  const home = await homeWith({ "dotfiles/mcp.json": other, ".cursor/x": "" });
  await symlink(join(home, "dotfiles/mcp.json"), join(home, ".cursor/mcp.json"));
  await run(home);
  expect(await readFile(join(home, "dotfiles/mcp.json"), "utf8")).toContain('"duet"');
  expect(await readdir(join(home, "dotfiles"))).toHaveLength(2);
});

test("a link to a file that is not there stays", async () => {
  const home = await homeWith({ ".cursor/x": "" });
  const file = join(home, ".cursor/mcp.json");
  await symlink(join(home, "elsewhere/mcp.json"), file);
  await expect(run(home)).rejects.toThrow(`${file}: is a link to a file that does not exist`);
  expect(await readlink(file)).toBe(join(home, "elsewhere/mcp.json"));
});

test("a dry run, a no, and a question that nobody can be asked change nothing", async () => {
  const home = await homeWith({ ".cursor/mcp.json": other });
  expect((await run(home, { isDryRun: true, yes: false })).code).toBe(0);
  const declined = await run(home, { yes: false, confirm: async () => false });
  expect(declined).toMatchObject({ code: 1, output: expect.stringMatching(/Nothing was changed\.\n$/) });
  await expect(run(home, { yes: false })).rejects.toMatchObject({
    code: "config",
    message: expect.stringContaining("--yes"),
  });
  expect(await readdir(join(home, ".cursor"))).toEqual(["mcp.json"]);
});

test("what the host writes while somebody is asked is not lost", async () => {
  const home = await homeWith({ ".claude.json": '{\n  "numStartups": 1\n}\n' });
  const file = join(home, ".claude.json");
  const confirm = async (): Promise<boolean> => {
    await writeFile(file, '{\n  "numStartups": 2\n}\n');
    return true;
  };
  await run(home, { host: "claude-code", yes: false, confirm });
  expect(JSON.parse(await readFile(file, "utf8"))).toMatchObject({ numStartups: 2, mcpServers: { duet: {} } });
});

test.each([
  ["is no JSON", "{", ":1:2: is not valid JSON; the file was not changed"],
  ["is not UTF-8", Buffer.from([0x7b, 0xff, 0x7d]), ": is not UTF-8 text"],
])("a file that %s is left as it is", async (_, content, message) => {
  const home = await homeWith({ ".cursor/x": "" });
  await writeFile(join(home, ".cursor/mcp.json"), content);
  await expect(run(home)).rejects.toThrow(`${join(home, ".cursor/mcp.json")}${message}`);
  expect(await readFile(join(home, ".cursor/mcp.json"))).toEqual(Buffer.from(content));
  expect(await readdir(join(home, ".cursor"))).toHaveLength(2);
});

test("the configuration in force is named, and keys that only the shell has are told, with what to do", async () => {
  const home = await homeWith({
    ".config/duet/config.json": '{ "models": { "functionCall": { "provider": "openai", "model": "gpt-5.4" } } }',
    ".config/duet/.env": "TAVILY_API_KEY=tvly-from-file\n",
    ".cursor/x": "",
  });
  const keys = { OPENAI_API_KEY: "sk-openai-1234567890", DEEPSEEK_API_KEY: "sk-not-used", AGENT_MAX_TOOL_CALLS: "7" };
  const { output } = await run(home, { words: ["--expose", "both"] }, keys);
  expect(output).toContain(
    `Cursor will probably not see variables that only this shell has: AGENT_MAX_TOOL_CALLS, OPENAI_API_KEY. Put the values into ${home}/.config/duet/.env, or let --with-env write them into the entry.\n`,
  );
  expect(JSON.parse(await readFile(join(home, ".cursor/mcp.json"), "utf8")).mcpServers.duet.args).toEqual([
    ...[built.file, "serve", "--config", join(home, ".config/duet/config.json"), "--expose", "both"],
  ]);
});

test("the .env that is named is the one beside the configuration; one in the folder of the shell is not read by the host", async () => {
  const home = await homeWith({
    ".config/duet/config.json": '{ "models": { "functionCall": { "provider": "openai", "model": "gpt-5.4" } } }',
    "project/.env": "OPENAI_API_KEY=sk-from-project\n",
    ".cursor/x": "",
  });
  const directory = join(home, "project");
  const environment = { AGENT_MAX_TOOL_CALLS: "7" };
  const { output } = await run(home, {
    config: await loadConfig({}, { HOME: home, ...environment }, directory),
    machine: { ...linux, home, directory, environment },
  });
  expect(output).toContain("only this shell has: AGENT_MAX_TOOL_CALLS, OPENAI_API_KEY.");
  expect(output).toContain(`Put the values into ${home}/.config/duet/.env, or let --with-env`);
});

test("values are written only when they are asked for, are shown masked, and never go into a project", async () => {
  const home = await homeWith({ ".cursor/x": "" });
  const keys = { DEEPSEEK_API_KEY: "sk-abcdefghijklmnop1234", DUET_HTTP_TOKEN: "of-no-use-over-stdio" };
  const { output } = await run(home, { withValues: true }, keys);
  expect(output).not.toContain("DUET_HTTP_TOKEN");
  expect(output).toContain('"DEEPSEEK_API_KEY": "sk-…1234"');
  expect(output).not.toContain("sk-abcdefghijklmnop1234");
  expect(await readFile(join(home, ".cursor/mcp.json"), "utf8")).toContain("sk-abcdefghijklmnop1234");
  await expect(run(home, { isProject: true, withValues: true }, keys)).rejects.toThrow("--with-env is not allowed");
});

test("a file into which values are written is its owner's alone from then on, and so is the copy of it", async () => {
  const home = await homeWith({ ".cursor/mcp.json": other });
  const file = join(home, ".cursor/mcp.json");
  await chmod(file, 0o644);
  const { output } = await run(home, { withValues: true }, { DEEPSEEK_API_KEY: "sk-abcdefghijklmnop1234" });
  expect(output).toContain("only the owner can read the file and its backup (mode 0600).\n");
  const names = await readdir(dirname(file));
  expect(names).toHaveLength(2);
  for (const name of names) expect((await stat(join(dirname(file), name))).mode & 0o777).toBe(0o600);
});

test("variables that the entry has are not said to be missing", async () => {
  const home = await homeWith({ ".cursor/x": "" });
  const keys = { DEEPSEEK_API_KEY: "sk-abcdefghijklmnop1234" };
  await run(home, { withValues: true }, keys);
  const { output } = await run(home, { words: ["--mode", "plan"] }, { ...keys, AGENT_MAX_TOOL_CALLS: "7" });
  expect(output).toContain("variables that only this shell has: AGENT_MAX_TOOL_CALLS.");
  expect((await run(home, { words: ["--mode", "chat"] }, keys)).output).not.toContain("only this shell");
});

test("Codex is told the names of the variables to hand on, and Claude Code hands on all", async () => {
  const home = await homeWith();
  const keys = { DEEPSEEK_API_KEY: "sk-abcdefghijklmnop1234" };
  await run(home, { host: "codex" }, keys);
  expect(await readFile(join(home, ".codex/config.toml"), "utf8")).toContain('env_vars = ["DEEPSEEK_API_KEY"]');
  expect((await run(home, { host: "claude-code" }, keys)).output).not.toContain("DEEPSEEK_API_KEY");
});

test("Zed is told to start an agent beside its servers, and the agent alone is removed again", async () => {
  const home = await homeWith({ ".config/zed/settings.json": '{\n  // mine\n  "vim_mode": true\n}\n' });
  const file = join(home, ".config/zed/settings.json");
  await run(home, { host: "zed" });
  const servers = await readFile(file, "utf8");
  const { output } = await run(home, { host: "zed", isAgent: true, words: ["--mode", "plan"] });
  expect(output).toContain("Choose it in Zed");
  const text = await readFile(file, "utf8");
  expect(text).toContain("// mine\n");
  expect(JSON.parse(text.replace("// mine", ""))).toEqual({
    ...JSON.parse(servers.replace("// mine", "")),
    agent_servers: {
      duet: {
        ...{ type: "custom", command: built.node },
        args: [built.file, "acp", "--config", join(home, ".config/duet/config.json"), "--mode", "plan"],
      },
    },
  });
  await run(home, { host: "zed", isAgent: true, isRemoval: true, config: undefined });
  expect(await readFile(file, "utf8")).toBe(servers.replace(/\n\}\n$/, ',\n  "agent_servers": {}\n}\n'));
  await expect(run(home, { isAgent: true })).rejects.toThrow("--agent: Cursor starts no agents (allowed: zed)");
  await expect(run(home, { host: "zed", isAgent: true, isProject: true })).rejects.toThrow(
    "--agent is not allowed with",
  );
});

test("a project gets its own file where the host knows one", async () => {
  const home = await homeWith();
  const { output } = await run(home, { host: "claude-code", isProject: true });
  expect(output).toContain("the paths in this one are valid on this machine only");
  expect(await readdir(home)).toEqual([".mcp.json"]);
  await expect(run(home, { host: "claude-desktop", isProject: true })).rejects.toThrow(
    "--project: Claude Desktop has no project files (allowed: claude-code, cursor, vscode, codex, gemini-cli, qwen-code, copilot-cli, opencode, zed, kiro)",
  );
});

test("the list says of each host which file it is and whether Duet is in it", async () => {
  const home = await homeWith({
    ".config/Claude/claude_desktop_config.json": "{",
    ".cursor/mcp.json": other,
    ".codex/config.toml": '[mcp_servers.duet]\ncommand = "x"\n',
    ".config/opencode/opencode.json": '{ "mcp": { "duet": { "type": "local", "command": ["x"] } } }',
    ".config/goose/config.yaml": "GOOSE_MODE: auto\n",
    ".lmstudio/x": "",
  });
  const list = await listHosts({ ...linux, home }, { name: "duet", isProject: false }, "en");
  expect(list.split("\n").map((line) => line.replaceAll(home, "~"))).toEqual([
    "claude-desktop  cannot be read  ~/.config/Claude/claude_desktop_config.json",
    "claude-code     no file yet     ~/.claude.json",
    "cursor          without duet    ~/.cursor/mcp.json",
    "vscode          not found here  ~/.config/Code/User/mcp.json",
    "codex           has duet        ~/.codex/config.toml",
    "gemini-cli      not found here  ~/.gemini/settings.json",
    "qwen-code       not found here  ~/.qwen/settings.json",
    "copilot-cli     not found here  ~/.copilot/mcp-config.json",
    "opencode        has duet        ~/.config/opencode/opencode.json",
    "windsurf        not found here  ~/.codeium/windsurf/mcp_config.json",
    "zed             not found here  ~/.config/zed/settings.json",
    "kiro            not found here  ~/.kiro/settings/mcp.json",
    "cline           not found here  ~/.cline/data/settings/cline_mcp_settings.json",
    "lm-studio       no file yet     ~/.lmstudio/mcp.json",
    "goose           without duet    ~/.config/goose/config.yaml",
    expect.stringContaining("--dry-run"),
    "",
  ]);
});

test("the list of a project names the files of the project", async () => {
  const project = await homeWith({ ".mcp.json": '{ "mcpServers": { "duet": { "command": "x" } } }' });
  const list = await listHosts({ ...linux, directory: project }, { name: "duet", isProject: true }, "en");
  expect(list.split("\n").map((line) => line.replaceAll(project, "."))).toEqual([
    "claude-desktop  has no project files",
    "claude-code     has duet              ./.mcp.json",
    "cursor          no file yet           ./.cursor/mcp.json",
    "vscode          no file yet           ./.vscode/mcp.json",
    "codex           no file yet           ./.codex/config.toml",
    "gemini-cli      no file yet           ./.gemini/settings.json",
    "qwen-code       no file yet           ./.qwen/settings.json",
    "copilot-cli     no file yet           ./.github/mcp.json",
    "opencode        no file yet           ./opencode.json",
    "windsurf        has no project files",
    "zed             no file yet           ./.zed/settings.json",
    "kiro            no file yet           ./.kiro/settings/mcp.json",
    "cline           has no project files",
    "lm-studio       has no project files",
    "goose           has no project files",
    expect.stringMatching(/^duet install HOST --project .*--dry-run/),
    "",
  ]);
});
