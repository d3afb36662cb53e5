import { expect, test } from "vitest";
import { fileSettings } from "../../../src/config/settings/settings.ts";
import { configFile, temporaryFolder } from "../../fakes/program.ts";
import { runWarmProgram } from "../../fakes/warm-program.ts";

test("in the built program a group of settings that is absent holds what an empty one does", async () => {
  const home = await temporaryFolder();
  const show = async (settings: object): Promise<unknown> => {
    const file = await configFile({ locale: "en", ...settings });
    const args = ["config", "show", "--config", file, "--output", "json"];
    const { stdout } = await runWarmProgram(args, { env: { HOME: home, DUET_HOME: home } });
    // Where a value comes from is told beside it.
    return JSON.parse(stdout).values;
  };
  const groups = Object.entries(fileSettings).flatMap(([key, row]) =>
    "rows" in row && row.presence === "defaults" ? [key] : [],
  );
  const empty = await show(Object.fromEntries(groups.map((key) => [key, {}])));
  expect(await show({})).toEqual(empty);
  expect(empty).toMatchObject({ agent: { maxToolCalls: 5, plan: { retries: 1 } } });
});
