import { mkdirSync, readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { writeFirstSettings } from "../../../src/cli/first-start/write-config.ts";
import { loadConfig } from "../../../src/config/load-config.ts";
import { lineOf, workplace } from "../../config/workplace.ts";

const folder = ".config/duet";
const key = { variable: "DEEPSEEK_API_KEY", value: "sk-typed-0123456789" };

describe("the files of the first start", () => {
  test("are read by later starts, in any directory, and by nobody else", async () => {
    const home = workplace({ [`${folder}/.env`]: "OTHER=1\nexport DEEPSEEK_API_KEY=old" });
    const file = join(home, folder, "config.json");
    const settings = { model: "mine/m/1", providers: { mine: { baseUrl: "http://127.0.0.1:9/v1" } }, key };
    expect(await writeFirstSettings(file, settings, "zh")).toEqual({ dotEnv: join(home, folder, ".env") });
    for (const name of [".env", "config.json"]) expect(statSync(join(home, folder, name)).mode & 0o777).toBe(0o600);
    expect(readdirSync(join(home, folder)).sort()).toEqual([".env", "config.json"]);
    const config = await loadConfig({}, { HOME: home }, workplace());
    expect(config.models.functionCall).toMatchObject({ provider: "mine", model: "m/1" });
    expect(config.agent.maxToolCalls).toBe(25);
    expect(config.environment).toMatchObject({ OTHER: "1", DEEPSEEK_API_KEY: key.value });
  });

  test.each(["with#hash", "with'one", 'with"two', "with$dollar", "with\\n"])(
    "keep the key %s as it is",
    async (value) => {
      const home = workplace();
      await writeFirstSettings(join(home, folder, "config.json"), { model: "deepseek", key: { ...key, value } }, "en");
      const { models } = await loadConfig({}, { HOME: home }, workplace());
      expect(models.functionCall).toMatchObject({ apiKey: value });
    },
  );

  test("are both there or neither: what cannot be finished is taken back", async () => {
    const empty = workplace();
    mkdirSync(join(empty, folder, "config.json"), { recursive: true });
    const file = join(empty, folder, "config.json");
    expect(await lineOf(writeFirstSettings(file, { model: "deepseek", key }, "en"))).toContain("is not overwritten");
    expect(readdirSync(join(empty, folder))).toEqual(["config.json"]);

    const before = "OTHER=1\n";
    const used = workplace({ [`${folder}/.env`]: before, [`${folder}/config.json`]: "{}" });
    await lineOf(writeFirstSettings(join(used, folder, "config.json"), { key }, "en"));
    expect(readFileSync(join(used, folder, ".env"), "utf8")).toBe(before);
    expect(readFileSync(join(used, folder, "config.json"), "utf8")).toBe("{}");
  });
});
