import { expect, test } from "vitest";
import { getReplySchema } from "../../../src/core/questions/stored-replies.ts";
import type { UserQuestion } from "../../../src/core/questions/user-question.ts";
import { toPageWording } from "../../../src/render/questions/page-wording.ts";

const empty = { reason: "", from: "", message: "", schema: {}, url: "" };

test.each([true, false])(
  "the page offers exactly the replies that a call allows, where only once is %s",
  (onlyOnce) => {
    const question: UserQuestion<"call"> = {
      kind: "call",
      tool: "wipe",
      arguments: {},
      rule: "tools.ask: *",
      onlyOnce,
    };
    const { choices } = toPageWording({ ...question, ...empty }, "en");
    const offered = choices.map((choice) => (choice.kind === "reply" ? choice.reply : choice.kind));
    const allowed = ["once", "conversation", "no", "never"].filter(
      (reply) => getReplySchema(question).safeParse(reply).success,
    );
    expect(offered).toEqual(allowed);
  },
);
