import { randomInt } from "node:crypto";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { postgres, type SharedPostgres, sharePostgres } from "../../fakes/postgres.ts";
import { requires } from "../../runner/requirements.ts";
import { createChance } from "./chaos/chance.ts";
import { faults, smallScale } from "./chaos/faults.ts";
import { judge, listTakeovers } from "./chaos/judge.ts";
import { renderReport } from "./chaos/report.ts";

describe("three replicas of the built program", requires(postgres), () => {
  let server: SharedPostgres;
  beforeAll(async () => {
    server = await sharePostgres();
  });
  afterAll(() => server?.stop());

  test("80 runs end, and nothing is done twice, while replicas are killed 8 times", async () => {
    const seed = Number(process.env.DUET_SEED ?? randomInt(2 ** 32));
    const input = { server, chance: createChance(seed).of("kill"), scale: smallScale };
    for await (const { evidence } of faults.kill?.run(input) ?? []) {
      // How soon a run is taken over depends on the machine: the script judges that, and this test that each one is.
      const verdicts = judge({ ...evidence, forbids: { ...evidence.forbids, late: false } });
      const command = `node scripts/replicas-chaos.mjs --small --fault kill --seed ${seed}`;
      const report = renderReport(command, evidence, verdicts);
      expect(
        verdicts.flatMap(({ violations }) => violations),
        report,
      ).toEqual([]);
      expect(evidence.clients).toHaveLength(smallScale.runs);
      // Kills without a run in hand would prove nothing.
      expect(listTakeovers(evidence).length, report).toBeGreaterThan(0);
    }
  });
});
