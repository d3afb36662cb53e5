import { type ModelCapabilities, offlineProvider } from "../../core/model/model.ts";
import { toolCallForms } from "../../core/model/model-settings.ts";
import { vendors } from "../../providers/vendors.ts";
import type { SchemaParts } from "../schema/schema-parts.ts";
import { defineGroup, defineNamedGroup, defineOptionalGroup, defineSetting } from "./setting.ts";

const vendorNames = Object.keys(vendors).filter((id) => vendors[id]?.regionOf === undefined);

/** Lists the vendors that accept a smaller range of temperatures than the others. */
const smallerRanges = Object.entries(vendors).flatMap(([id, { temperature }]) =>
  "atMost" in temperature && vendors[id]?.regionOf === undefined ? [`${id}: to ${temperature.atMost}`] : [],
);

/** Says what a model can do. What is absent is as the list of its vendor says. */
const capabilityRows = {
  functionCalling: defineSetting(({ z }) => z.boolean().optional(), {
    help: { zh: "能调用工具", en: "it calls tools" },
  }),
  vision: defineSetting(({ z }) => z.boolean().optional(), { help: { zh: "能看图片", en: "it sees images" } }),
  structuredOutput: defineSetting(({ z }) => z.boolean().optional(), {
    help: { zh: "能按 JSON Schema 输出", en: "it keeps to a JSON Schema" },
  }),
  reasoning: defineSetting(({ z }) => z.boolean().optional(), { help: { zh: "会推理", en: "it reasons" } }),
} satisfies Record<keyof ModelCapabilities, unknown>;

/** Holds the settings of a model that takes over from another. */
export const fallbackRows = {
  provider: defineSetting(({ text }) => text, {
    help: { zh: "[提供商](models.zh.md#提供商)", en: "a [provider](models.md#providers)" },
    fileHelp: `${vendorNames.join(", ")}, ${offlineProvider}, or one of \`providers\`.`,
  }),
  model: defineSetting(({ text }) => text.optional(), {
    help: { zh: "模型名", en: "model name" },
    fileHelp: "Model name; the provider's default when absent.",
    absent: { zh: "由提供商决定", en: "the provider's" },
  }),
  temperature: defineSetting(({ z }) => z.number().min(0).lt(2).optional(), {
    help: {
      zh: "采样温度，[有些提供商](models.zh.md)上限更低",
      en: "sampling temperature; [some vendors](models.md) allow less",
    },
    fileHelp: `0 to below 2 (${smallerRanges.join(", ")}). Default 0.7.`,
    absent: { zh: "0.7", en: "0.7" },
  }),
  maxTokens: defineSetting(({ z }) => z.int().min(1).optional(), {
    help: { zh: "输出上限（token）", en: "output limit in tokens" },
    fileHelp: "Output limit in tokens. Default: agent.maxTokens.",
    absent: { zh: "`agent.maxTokens`", en: "`agent.maxTokens`" },
  }),
  topP: defineSetting(({ z }) => z.number().gt(0).max(1).optional(), {
    help: { zh: "核采样的概率", en: "nucleus sampling" },
    fileHelp: "Above 0 to 1.",
  }),
  baseUrl: defineSetting(({ address }) => address.optional(), { help: { zh: "API 地址", en: "address of the API" } }),
  apiKeyEnv: defineSetting(({ variable }) => variable.optional(), {
    help: { zh: "存放密钥的环境变量名", en: "the variable that holds the key" },
    fileHelp: "The environment variable that holds the key.",
  }),
  timeout: defineSetting(({ seconds }) => seconds(1, 3600).optional(), {
    help: {
      zh: "到第一段内容的秒数，见[时间限制](timeouts.zh.md)",
      en: "seconds until the first content, see [timeouts](timeouts.md)",
    },
    fileHelp:
      "Seconds until the first content or reasoning of a turn. Default 30; more for models that think silently.",
    absent: { zh: "30", en: "30" },
  }),
  contextWindow: defineSetting(({ z }) => z.int().min(1).optional(), {
    help: { zh: "上下文窗口（token）", en: "context window in tokens" },
    absent: { zh: "由模型决定", en: "the model's" },
  }),
  reasoningEffort: defineSetting(({ text }) => text.optional(), {
    help: { zh: "推理强度，用提供商自己的写法", en: "how much the model reasons, in its vendor's words" },
  }),
  wire: defineSetting(({ wire }) => wire.optional(), {
    help: { zh: "接口格式", en: "wire format" },
    absent: { zh: "由提供商决定", en: "the provider's" },
  }),
  toolCalls: defineSetting(({ z }) => z.enum(toolCallForms).optional(), {
    help: {
      zh: "怎样调用工具：`native` 用函数调用，`text` [写成文本](model-features.zh.md#不支持函数调用的模型)",
      en: "how it calls tools: `native` by function calling, `text` [in text](model-features.md#models-without-function-calling)",
    },
    fileHelp: "native: by function calling; text: by lines of text, for a model without it. Default: as the model can.",
    absent: { zh: "由模型决定", en: "as the model can" },
  }),
  capabilities: defineOptionalGroup(capabilityRows, {
    help: {
      zh: "模型[能做什么](model-features.zh.md#模型能做什么)，覆盖已知的内容",
      en: "[what the model can do](model-features.md#what-models-can-do), over what is known of it",
    },
    absent: { zh: "已知的内容", en: "what is known" },
  }),
};

/** Returns the schema of a model without fallbacks of its own. */
export function createFallbackSchema(parts: SchemaParts) {
  const { strictObject } = parts.z;
  const { capabilities, ...rows } = fallbackRows;
  const { functionCalling, vision, structuredOutput, reasoning } = capabilities.rows;
  return strictObject({
    provider: rows.provider.schema(parts),
    model: rows.model.schema(parts),
    temperature: rows.temperature.schema(parts),
    maxTokens: rows.maxTokens.schema(parts),
    topP: rows.topP.schema(parts),
    baseUrl: rows.baseUrl.schema(parts),
    apiKeyEnv: rows.apiKeyEnv.schema(parts),
    timeout: rows.timeout.schema(parts),
    contextWindow: rows.contextWindow.schema(parts),
    reasoningEffort: rows.reasoningEffort.schema(parts),
    wire: rows.wire.schema(parts),
    toolCalls: rows.toolCalls.schema(parts),
    capabilities: strictObject({
      functionCalling: functionCalling.schema(parts),
      vision: vision.schema(parts),
      structuredOutput: structuredOutput.schema(parts),
      reasoning: reasoning.schema(parts),
    }).optional(),
  } satisfies Record<keyof typeof fallbackRows, unknown>);
}

/** Holds the settings of a model. A variable holds them as JSON, with keys in `snake_case`. */
export const modelRows = {
  ...fallbackRows,
  fallbacks: defineSetting(
    (parts) =>
      parts.z
        .array(parts.z.union([parts.text, createFallbackSchema(parts)]))
        .max(mostFallbacks)
        .optional(),
    {
      help: {
        zh: "[备用模型](model-features.zh.md#备用模型)，按顺序：`provider/model`，或与模型一样写的对象",
        en: "[models that take over](model-features.md#fallback-models), in their order: `provider/model`, or objects like a model's",
      },
      fileHelp: "Models that take over when this one fails, in their order: provider/model, or objects like this one.",
      absent: { zh: "无", en: "none" },
    },
  ),
};

/** Each fallback may take a part of the run's time. */
const mostFallbacks = 8;

const modelHelp = "A model and its parameters.";
const shortForm = {
  words: ["provider", "provider/model"],
  pattern: "^[^/\\s]+(/.*\\S.*)?$",
  fileHelp: "provider/model, or the provider alone: the same as an object with these two.",
};

const functionCall = defineOptionalGroup(modelRows, {
  help: { zh: "选择工具的模型", en: "the model that picks tools" },
  fileHelp: modelHelp,
  shortForm,
  kind: "model",
  environment: "AGENT_FUNCTION_CALL_MODEL",
  flag: {
    name: "function-call-model",
    help: { zh: "选择工具的模型：提供商/模型，或 JSON", en: "the model that picks tools: provider/model, or JSON" },
  },
});

const answer = defineOptionalGroup(modelRows, {
  help: { zh: "写回答的模型", en: "the model that writes the answer" },
  fileHelp: modelHelp,
  shortForm,
  absent: { zh: "同 functionCall", en: "as functionCall" },
  kind: "model",
  environment: "AGENT_ANSWER_MODEL",
  flag: {
    name: "answer-model",
    help: { zh: "写回答的模型：提供商/模型，或 JSON", en: "the model that writes the answer: provider/model, or JSON" },
  },
});

export const modelSettings = defineGroup(
  { functionCall, answer },
  { fileHelp: "functionCall decides on tools; answer writes, and is functionCall when absent." },
);

export const providerSettings = defineNamedGroup(
  ({ providerName }) => providerName,
  {
    wire: defineSetting(({ wire }) => wire.optional(), {
      help: {
        zh: "接口格式，用于你自己的或已知的提供商",
        en: "wire format, for a provider of your own or a known one",
      },
      fileHelp: "Wire format.",
      absent: { zh: "`openai-chat`", en: "`openai-chat`" },
    }),
    baseUrl: defineSetting(({ address }) => address.optional(), { help: { zh: "API 地址", en: "address of the API" } }),
    apiKeyEnv: defineSetting(({ variable }) => variable.optional(), {
      help: { zh: "存放密钥的环境变量名", en: "the variable that holds the key" },
      fileHelp: "The environment variable that holds the key.",
    }),
    // A model has no such setting: callers of every interface may choose a model, and none of them may run a program.
    apiKeyCommand: defineSetting(({ z, text }) => z.union([text, z.array(text).min(1)]).optional(), {
      help: {
        zh: "[输出密钥的命令](models.zh.md#用命令取得密钥)：一行 shell 命令，或程序及其参数的列表（不经过 shell）",
        en: "[a command that prints the key](models.md#a-key-from-a-command): a line for the shell, or a list of a program and its arguments (no shell)",
      },
      fileHelp:
        "A command that prints the key: a line for the shell, or a list of a program and its arguments, which no shell reads.",
    }),
    proxy: defineSetting(({ proxy }) => proxy.optional(), {
      help: {
        zh: "该提供商的[代理](proxies.zh.md)，`direct` 为直连",
        en: "the [proxy](proxies.md) to this provider; `direct`: none",
      },
      fileHelp: "The proxy to this provider, or direct.",
      absent: { zh: "同其他连接", en: "as other connections" },
    }),
    headers: defineSetting(({ z, headerName, headerValue }) => z.record(headerName, headerValue).optional(), {
      help: { zh: "每个请求另加的请求头", en: "further headers of each request" },
      fileHelp: "Further headers of each request.",
    }),
    query: defineSetting(({ z, text }) => z.record(text, z.string()).optional(), {
      help: { zh: "每个请求另加的查询参数", en: "the query of each request" },
      fileHelp: "Parameters in the address of each request.",
    }),
    region: defineSetting(({ cloudName }) => cloudName.optional(), {
      help: {
        zh: "`bedrock`、`vertex` 的[区域](clouds.zh.md)",
        en: "the [region](clouds.md) of `bedrock` and `vertex`",
      },
      fileHelp: "The region of bedrock or vertex.",
      absent: { zh: "环境变量，或 `us-east-1`、`global`", en: "its variable, or `us-east-1`, `global`" },
    }),
    project: defineSetting(({ cloudName }) => cloudName.optional(), {
      help: { zh: "`vertex` 的项目", en: "the project of `vertex`" },
      fileHelp: "The project of vertex.",
      absent: { zh: "环境变量或凭据的项目", en: "its variable, or that of the credentials" },
    }),
    apiVersion: defineSetting(({ cloudName }) => cloudName.optional(), {
      help: { zh: "`azure` 的 api-version", en: "the api-version of `azure`" },
      fileHelp: "The api-version of azure.",
      absent: { zh: "环境变量，或 `2025-04-01-preview`", en: "its variable, or `2025-04-01-preview`" },
    }),
    aliases: defineSetting(({ z, text }) => z.record(text, text).optional(), {
      help: { zh: "模型名在这个提供商那里的实际名称", en: "what a model's name means to the vendor" },
      fileHelp: "What a model's name means to the vendor: deepseek-chat is deepseek-flash unless set here.",
    }),
    prices: defineSetting(({ z, text, priceSchema }) => z.record(text, priceSchema).optional(), {
      help: {
        zh: "按模型的价格：`input`、`output`、`cachedInput`、`cacheWrite`，每百万 token 的美元数",
        en: "prices by model: `input`, `output`, `cachedInput`, `cacheWrite`, in US dollars for a million tokens",
      },
      fileHelp: "What its models cost, by their names; over Duet's own price list.",
    }),
  },
  { entryHelp: "A vendor of your own, or changes to a known one." },
);
