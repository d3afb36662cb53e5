import { expect, test } from "vitest";
import { createRunInbox } from "../../../src/core/run/run-inbox.ts";
import { makeTool, outcomeOf } from "../../fakes/events.ts";
import { play } from "./interrupted.ts";

const look = { id: "1", name: "look", input: {} };

test("a message that came before the process ended is read by the run that goes on, once", async () => {
  const inbox = createRunInbox();
  const tools = [
    makeTool("look", () => {
      inbox.send("in French");
      return { ok: true, text: "found what was looked for" };
    }),
  ];
  const first = await play({ decide: [[look], "Enough."], answer: ["Voilà."] }, { tools, inbox });
  const names = first.steps.map(({ name }) => name.replace(/^message:.*/, "message"));
  expect(names).toContain("messages:1");
  expect(names.indexOf("message")).toBeLessThan(names.indexOf("messages:1"));
  const said = { role: "user", content: "in French" };
  for (const last of ["message", "messages:1"]) {
    const steps = first.steps.slice(0, Math.max(names.indexOf(last), names.indexOf("call:1")) + 1);
    const isDelivered = last === "messages:1";
    const decide = isDelivered ? ["Enough."] : ["Enough.", "Enough now."];
    const again = await play({ decide, answer: ["Voilà."] }, { tools, inbox: createRunInbox() }, { ...first, steps });
    expect(outcomeOf(again.events)).toMatchObject({ status: "complete", response: "Voilà." });
    const read = again.asked.decide.at(-1)?.filter(({ content }) => content === said.content);
    expect(read).toEqual([said]);
    // What the second process recorded besides must not make a third one read it twice.
    const all = [...steps, ...again.steps.filter(({ name }) => name.startsWith("message:"))];
    const third = await play(
      { decide, answer: ["Voilà."] },
      { tools, inbox: createRunInbox() },
      { ...first, steps: all },
    );
    expect(third.asked.decide.at(-1)?.filter(({ content }) => content === said.content)).toEqual([said]);
  }
});
