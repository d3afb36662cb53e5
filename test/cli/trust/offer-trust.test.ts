import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { temporaryFolder } from "../../fakes/program.ts";
import { startTerminal } from "../../fakes/terminal.ts";

const server = { command: "npx", args: ["-y", "maps@1.0.0", "--token", "hunter2x"] };

/** A cloned repository with a configuration in it. */
async function clone(config: object): Promise<{ cwd: string; home: string }> {
  const home = await temporaryFolder();
  const cwd = join(home, "repo");
  await mkdir(join(cwd, ".git"), { recursive: true });
  await writeFile(join(cwd, "duet.config.json"), JSON.stringify(config));
  return { cwd, home };
}

async function start({ cwd, home }: { cwd: string; home: string }) {
  return startTerminal([], { cwd, env: { HOME: home, LANG: "en_US.UTF-8", OLLAMA_BASE_URL: "http://127.0.0.1:9/v1" } });
}

describe("a chat in a folder whose configuration nobody has trusted", () => {
  test("shows what it would start, and uses it after a yes, from then on without a question", async () => {
    const place = await clone({ locale: "zh", mcpServers: { maps: server }, tools: { directory: "./tools" } });
    await mkdir(join(place.cwd, "tools"));
    const first = await start(place);
    await first.shows("Trust this? (The full text: duet config trust) [y/n] ");
    await first.showsWords("starts the server maps: npx -y maps@1.0.0 --token …");
    await first.showsWords("loads code from tools.directory: ./tools");
    expect(first.screen()).not.toContain("hunter2x");
    await first.reply("perhaps\r");
    await first.repeats("Trust this?", 2);
    await first.reply("y\r");
    await first.shows("/exit 退出");
    first.type("/exit\r");
    expect(await first.ended()).toBe(0);

    const second = await start(place);
    await second.shows("/exit 退出");
    second.type("/exit\r");
    await second.ended();
    expect(second.screen()).not.toContain("Trust this?");
  });

  test("does not use it after a no, and asks again only where the content has changed", async () => {
    const place = await clone({ locale: "zh" });
    const first = await start(place);
    await first.shows("starts no program and contains no address");
    await first.reply("n\r");
    await first.shows("/exit quits");
    first.type("/exit\r");
    expect(await first.ended()).toBe(0);
    expect(first.screen()).toContain("not used");
    const second = await start(place);
    await second.shows("/exit quits");
    second.type("/exit\r");
    await second.ended();
    expect(second.screen()).not.toContain("Trust this?");

    await writeFile(join(place.cwd, "duet.config.json"), '{ "locale": "en" }');
    const third = await start(place);
    await third.shows("Trust this?");
    third.type("\u0003");
    expect(await third.ended()).toBe(130);
    const remembered = JSON.parse(await readFile(join(place.home, ".local/state/duet/trusted.json"), "utf8"));
    expect(remembered).toMatchObject({ files: [], declined: [{ file: join(place.cwd, "duet.config.json") }] });
  });
});
