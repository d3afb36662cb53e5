import { useState } from "preact/hooks";
import { sanitizeLine } from "../../../../../kit/text/sanitize.ts";
import type { OperatorPrompts } from "../../api/operator.ts";
import { changeTexts } from "../../state/operator-change-texts.ts";
import { operatorTexts } from "../../state/operator-texts.ts";
import { usePage, useSay } from "../page-model.ts";
import { useAttempt, Word } from "./attempt.tsx";

type Prompt = OperatorPrompts["prompts"][number];

/** Shows the prompts, one at a time, and writes those of the operator. */
export function PromptList({ prompts: first }: OperatorPrompts) {
  const { locale: shown } = usePage();
  const say = useSay();
  const [prompts, setPrompts] = useState(first);
  const [name, setName] = useState("answer");
  const [locale, setLocale] = useState(shown.value);
  const prompt = prompts.find((each) => each.name === name) ?? prompts[0];
  if (prompt === undefined) return null;
  return (
    <>
      <p class="hint">{say(changeTexts.promptsHelp)}</p>
      <div class="pick">
        <label class="field">
          <span>{say(changeTexts.prompt)}</span>
          <select value={prompt.name} onChange={({ currentTarget }) => setName(currentTarget.value)}>
            {prompts.map((each) => (
              <option key={each.name} value={each.name}>
                {each.name}: {each.used_for}
              </option>
            ))}
          </select>
        </label>
        <label class="field">
          <span>{say(changeTexts.promptLanguage)}</span>
          <select
            value={locale}
            onChange={({ currentTarget }) => setLocale(currentTarget.value === "zh" ? "zh" : "en")}
          >
            <option value="zh">中文</option>
            <option value="en">English</option>
          </select>
        </label>
      </div>
      <PromptEditor
        key={`${prompt.name} ${locale}`}
        prompt={prompt}
        locale={locale}
        onChange={(read) => setPrompts(read.prompts)}
      />
    </>
  );
}

interface EditorProps {
  readonly prompt: Prompt;
  readonly locale: "zh" | "en";
  onChange(read: OperatorPrompts): void;
}

function PromptEditor({ prompt, locale, onChange }: EditorProps) {
  const { operator } = usePage();
  const say = useSay();
  const attempt = useAttempt();
  const { name, variables, family_files: familyFiles } = prompt;
  const { text, file } = prompt[locale];
  const [draft, setDraft] = useState(text);
  const change = (wanted: string | null, done: string): void =>
    attempt.run(async () => {
      const read = await operator.changePrompt({ name, locale, text: wanted });
      onChange(read);
      setDraft(read.prompts.find((each) => each.name === name)?.[locale].text ?? draft);
    }, done);
  return (
    <form
      class="prompt"
      onSubmit={(event) => {
        event.preventDefault();
        change(draft, say(operatorTexts.saved));
      }}
    >
      <label class="field">
        <span>
          {say(changeTexts.promptText)} <span class="facts">{file === null ? say(changeTexts.builtIn) : file}</span>
        </span>
        <textarea
          rows={16}
          lang={locale === "zh" ? "zh-CN" : "en"}
          spellcheck={false}
          value={draft}
          onInput={({ currentTarget }) => setDraft(currentTarget.value)}
        />
      </label>
      <p class="hint">
        {say(changeTexts.variables)}
        {variables.map((each) => `{${each}}`).join(" ")}
      </p>
      {familyFiles.length > 0 && (
        <p class="hint">
          {say(changeTexts.familyFiles)}
          {sanitizeLine(familyFiles.join(", "))}
        </p>
      )}
      <div class="actions">
        <button type="submit" class="primary" disabled={attempt.isBusy || draft.trim() === text.trim()}>
          {say(operatorTexts.save)}
        </button>
        {file !== null && (
          <button type="button" disabled={attempt.isBusy} onClick={() => change(null, say(changeTexts.removed))}>
            {say(changeTexts.removePrompt)}
          </button>
        )}
      </div>
      <Word attempt={attempt} />
    </form>
  );
}
