import { checkModels } from "../../app/models/check-models.ts";
import { toModelName } from "../../core/model/model.ts";
import { DuetError, toErrorReport } from "../../kit/errors.ts";
import { say, type Text } from "../../kit/locale.ts";
import { joinSentences } from "../../render/event-lines.ts";
import { askKey, askModel, type DraftContext, type DraftModel, resolveDraft } from "./draft-model.ts";

/** Asks the model for one word, and says what came of it. Returns the error of a model that did not answer. */
export async function tryModel(draft: DraftModel, context: DraftContext): Promise<DuetError | undefined> {
  const { locale, dialog } = context;
  const name = toModelName(draft);
  dialog.write(say(locale, describeTrying(name)));
  const result = await ask(draft, context);
  if (result instanceof DuetError) {
    const { code, message, hint } = toErrorReport(result, locale);
    // Where the key comes from is known: it was just typed.
    dialog.write(`✗ ${joinSentences(message, code === "auth" ? null : hint)}`);
    return result;
  }
  dialog.write(say(locale, describeAnswer(name, result)));
  return undefined;
}

/** Returns how long the answer took, in milliseconds, or why there was none. */
async function ask(draft: DraftModel, { config, locale, dialog }: DraftContext): Promise<number | DuetError> {
  try {
    const choice = resolveDraft(draft, config);
    const [check] = await checkModels({ functionCall: choice }, { locale }, dialog.signal);
    return check?.error ?? check?.elapsedMs ?? 0;
  } catch (thrown) {
    dialog.signal.throwIfAborted();
    if (thrown instanceof DuetError) return thrown;
    throw thrown;
  }
}

type Next = DraftModel | "another-provider" | "keep";

interface Remedy {
  label: Text;
  /** Is true where the remedy is the likely one for the error. */
  fits: boolean;
  take(): Promise<Next>;
}

/** Asks what to do about a model that did not answer. */
export async function chooseNext(draft: DraftModel, error: DuetError, context: DraftContext): Promise<Next> {
  const { config, locale, dialog } = context;
  const hasKey = draft.own.baseUrl !== undefined || config.providers[draft.provider]?.keyEnv !== undefined;
  const isAboutModel = ["invalid_request", "model_not_found", "config"].includes(error.code);
  const remedies: Remedy[] = [
    { label: again, fits: false, take: async () => draft },
    ...(hasKey ? [{ label: anotherKey, fits: error.code === "auth", take: () => askKey(draft, context) }] : []),
    { label: anotherModel, fits: isAboutModel, take: () => askModel(draft, context) },
    { label: anotherProvider, fits: false, take: async () => "another-provider" as const },
    { label: keep, fits: false, take: async () => "keep" as const },
  ];
  for (const [index, { label }] of remedies.entries()) dialog.write(`  ${index + 1}  ${say(locale, label)}`);
  const likely = Math.max(
    0,
    remedies.findIndex(({ fits }) => fits),
  );
  for (;;) {
    const typed = await dialog.ask(
      say(locale, { zh: `编号（回车：${likely + 1}）：`, en: `Number (Enter: ${likely + 1}): ` }),
    );
    const remedy = typed === "" ? remedies[likely] : remedies[Number(typed.normalize("NFKC")) - 1];
    if (remedy !== undefined) return remedy.take();
  }
}

const again: Text = { zh: "再试一次", en: "try again" };
const anotherKey: Text = { zh: "换一个密钥", en: "another key" };
const anotherModel: Text = { zh: "换一个模型", en: "another model" };
const anotherProvider: Text = { zh: "换一个提供商", en: "another provider" };
const keep: Text = { zh: "仍然写入配置，以后再解决", en: "write it all the same, and see to it later" };
const describeTrying = (name: string): Text => ({
  zh: `正在试问 ${name}……（Esc 离开）`,
  en: `Asking ${name} for a word ... (Esc leaves)`,
});
const describeAnswer = (name: string, ms: number): Text => ({
  zh: `✓ ${name} 已回答（${ms} 毫秒）`,
  en: `✓ ${name} answered (${ms} ms)`,
});
