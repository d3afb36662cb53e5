import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { findInstructions, rememberChoice } from "../../../src/app/instructions/find-instructions.ts";
import { openDuet } from "../../../src/app/open-duet.ts";
import { loadConfig } from "../../../src/config/load-config.ts";
import type { Entrance } from "../../../src/core/store/journal.ts";
import { workplace } from "../../config/workplace.ts";
import { outcomeOf } from "../../fakes/events.ts";
import { scriptedModel } from "../../fakes/model.ts";

test("a server gives models the trusted instructions of its folder only where its operator wants that", async () => {
  // The folder of the process is that of the repository, so the user's own stand for all of them.
  const home = workplace({ ".config/duet/AGENTS.md": "The tea is green." });
  const environment = { HOME: home, DUET_HOME: join(home, "state") };
  await rememberChoice(
    await findInstructions({ directory: home, environment, home: environment.DUET_HOME }),
    home,
    true,
  );
  const given: boolean[] = [];
  for (const [instructions, entrance] of [
    [false, "http"],
    [true, "http"],
    [true, "stdio"],
    [true, "library"],
  ] satisfies [boolean, Entrance][]) {
    const model = scriptedModel(["It is green, as you see."]);
    const config = await loadConfig({}, environment, home, {
      name: "test",
      settings: { serve: { instructions }, conversations: { store: "memory" }, search: { enabled: false } },
    });
    const duet = await openDuet(config, { models: { functionCall: model, answer: model } });
    onTestFinished(() => duet.close());
    const events = await Array.fromAsync(duet.ask({ question: "Which tea?", mode: "chat", recording: { entrance } }));
    expect(outcomeOf(events).status).toBe("complete");
    given.push(JSON.stringify(model.requests[0]?.messages).includes("The tea is green."));
  }
  expect(given).toEqual([false, true, true, false]);
});
