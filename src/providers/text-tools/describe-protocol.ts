import type { ModelRequest, ResponseFormat, ToolChoice, ToolDefinition } from "../../core/model/model.ts";
import { type Locale, say, type Text } from "../../kit/locale.ts";

/** Returns the part of a system prompt that teaches a model the textual protocol and its tools. */
export function describeProtocol(
  { tools, toolChoice, responseFormat }: Pick<ModelRequest, "tools" | "toolChoice" | "responseFormat">,
  locale: Locale,
): string {
  const more = [describeChoice(toolChoice), describeFormat(responseFormat)].filter((text) => text !== undefined);
  // The form stands last, nearest to what the model writes.
  return [say(locale, list), ...tools.map(toLine), ...[protocol, ...more].map((text) => say(locale, text))].join("\n");
}

/** A tool is one line of JSON, out of which no description can break. */
function toLine({ name, description, inputSchema }: ToolDefinition): string {
  return JSON.stringify({ name, description, parameters: inputSchema });
}

const list: Text = {
  zh: "## 工具\n每行一个 JSON，parameters 是参数的 JSON Schema：",
  en: '## Tools\nOne on each line, as JSON; "parameters" is the JSON Schema of the arguments:',
};

const protocol: Text = {
  zh: `
## 回复的形式
你没有函数调用的接口，要用工具就写文本。每次回复只能是下面两种形式之一；标签照抄，各在一行的开头。

要用工具时：
Thought: 已经知道什么，这一步要做什么
Action: 工具名，与上面列出的完全一致
Action Input: 参数，写成一个 JSON 对象，例如 {"name": "value"}；没有参数时写 {}
写到这里就停下。结果会在下一条消息里给你，以“Observation:”开头；绝不要自己写 Observation。几个互不依赖的调用，可以接着再写 Action 和 Action Input。

不用工具，或不再需要工具时：
Thought: 为什么不需要
Final Answer: 这时按前面的要求该写的内容（回答或说明）`,
  en: `
## Form of your replies
You have no function calling; you use tools by writing text. Each reply has one of two forms. Copy the labels, each at the beginning of a line.

To use a tool:
Thought: what you know, and what this step is for
Action: the name of the tool, exactly as above
Action Input: its arguments as one JSON object, like {"name": "value"}; {} for none
Stop there. The result comes in the next message, after "Observation:"; never write an Observation yourself. For more calls that do not depend on one another, go on with another Action and Action Input.

To use no tool, or no more tools:
Thought: why none is needed
Final Answer: what you were told above to write then (the answer, or the note)`,
};

function describeChoice(choice: ToolChoice | undefined): Text | undefined {
  if (choice === "required") return { zh: "\n这一次必须使用工具。", en: "\nThis reply must use a tool." };
  if (typeof choice !== "object") return undefined;
  return { zh: `\n这一次必须使用工具 ${choice.tool}。`, en: `\nThis reply must use the tool ${choice.tool}.` };
}

function describeFormat(format: ResponseFormat | undefined): Text | undefined {
  if (format === undefined || format.type === "text") return undefined;
  if (format.type === "json_object")
    return {
      zh: "\nFinal Answer 后面只写一个 JSON 对象。",
      en: "\nBehind Final Answer stands one JSON object and nothing else.",
    };
  const schema = JSON.stringify(format.schema);
  return {
    zh: `\nFinal Answer 后面只写一个 JSON 对象，须符合这个 JSON Schema：${schema}`,
    en: `\nBehind Final Answer stands one JSON object and nothing else. It fits this JSON Schema: ${schema}`,
  };
}
