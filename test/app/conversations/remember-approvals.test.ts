import { expect, test } from "vitest";
import { toUser } from "../../../src/core/questions/user.ts";
import type { Approval, ApprovalRequest } from "../../../src/core/tools/tool.ts";
import { countedTool, duetWith } from "../../fakes/callers.ts";
import { scriptedModel } from "../../fakes/model.ts";

const erasing = (id: string) => [{ id, name: "erase", input: { text: id } }];

async function open(answers: Approval[], turns: Parameters<typeof scriptedModel>[0], alwaysAsks?: true) {
  const tool = countedTool("erase", { annotations: { destructive: true }, alwaysAsks });
  const model = scriptedModel(turns);
  const duet = await duetWith({ models: { functionCall: model, alone: true }, tools: [tool] });
  const asked: ApprovalRequest[] = [];
  const approveCall = async (request: ApprovalRequest): Promise<Approval | undefined> => {
    asked.push(request);
    return answers.shift();
  };
  const ask = async (conversationId?: string) => {
    const request = {
      question: "Erase it",
      user: toUser({ approveCall }),
      ...(conversationId ? { conversationId } : {}),
    };
    const end = (await Array.fromAsync(duet.ask(request))).at(-1);
    if (end?.type !== "run-end") throw new Error("no run-end");
    return end.outcome;
  };
  return { tool, model, asked, ask };
}

test("never refuses a tool for the rest of the conversation, tells the model so, and is asked about anew in another one", async () => {
  const turns = [erasing("a"), erasing("b"), "Not done.", erasing("c"), "Not done.", erasing("d"), "Done."];
  const { tool, model, asked, ask } = await open(["never", "once"], turns);
  const { conversation_id } = await ask();
  expect(model.requests[1]?.messages.at(-1)?.content).toContain(
    "Not run: the user has refused it, and refuses all such calls in this conversation",
  );
  await ask(conversation_id);
  expect(asked.map((request) => request.arguments.text)).toEqual(["a"]);
  expect(tool.calls).toEqual([]);
  await ask();
  expect(asked).toHaveLength(2);
  expect(tool.calls).toEqual(["d"]);
});

test("never counts of a tool that asks each time too, as a yes for the conversation does not", async () => {
  const turns = [erasing("a"), erasing("b"), erasing("c"), "Not done."];
  const { tool, asked, ask } = await open(["conversation", "never"], turns, true);
  await ask();
  expect(asked.map(({ onlyOnce }) => onlyOnce)).toEqual([true, true]);
  expect(tool.calls).toEqual(["a"]);
});
