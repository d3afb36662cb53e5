import { useState } from "preact/hooks";
import { sanitizeLine } from "../../../../../kit/text/sanitize.ts";
import type { OperatorTools } from "../../api/operator.ts";
import { changeTexts } from "../../state/operator-change-texts.ts";
import { operatorTexts } from "../../state/operator-texts.ts";
import { usePage, useSay } from "../page-model.ts";
import { useAttempt, Word } from "./attempt.tsx";

type Tool = OperatorTools["tools"][number];

const choices = ["allow", "ask", "deny"] as const;

/** Shows all tools with what the rules decide about each, and changes that for single ones. */
export function ToolList({ tools: first }: OperatorTools) {
  const say = useSay();
  const [tools, setTools] = useState(first);
  const [wanted, setWanted] = useState("");
  const shown = tools.filter(({ name }) => name.toLowerCase().includes(wanted.toLowerCase()));
  return (
    <>
      <p class="hint">{say(changeTexts.toolsHelp)}</p>
      <input
        type="search"
        class="find-setting"
        aria-label={say(changeTexts.findTool)}
        placeholder={say(changeTexts.findTool)}
        onInput={({ currentTarget }) => setWanted(currentTarget.value)}
      />
      <ul class="settings-list">
        {shown.map((tool) => (
          <ToolRow key={tool.name} tool={tool} onChange={(read) => setTools(read.tools)} />
        ))}
      </ul>
    </>
  );
}

interface RowProps {
  readonly tool: Tool;
  onChange(read: OperatorTools): void;
}

function ToolRow({ tool, onChange }: RowProps) {
  const { operator } = usePage();
  const say = useSay();
  const attempt = useAttempt();
  const { name, source, description, permission, next, rule, for_some_calls: isForSomeCalls } = tool;
  const facts = [
    ...(permission === next ? [] : [`${say(changeTexts.now)}${say(changeTexts[permission])}`]),
    ...(rule === null ? [] : [`${say(changeTexts.rule)}${sanitizeLine(rule)}`]),
    ...(isForSomeCalls ? [say(changeTexts.someCalls)] : []),
  ];
  return (
    <li class="setting tool">
      <label>
        <code>{sanitizeLine(name)}</code>{" "}
        <span class="facts">{source === "builtin" ? say(changeTexts.builtIn) : sanitizeLine(source)}</span>
        <select
          value={next}
          disabled={attempt.isBusy}
          onChange={({ currentTarget: { value } }) => {
            const chosen = choices.find((each) => each === value) ?? next;
            const saved = say(operatorTexts.saved);
            attempt.run(async () => onChange(await operator.setPermission(name, chosen)), saved);
          }}
        >
          {choices.map((each) => (
            <option key={each} value={each} selected={each === next}>
              {say(changeTexts[each])}
            </option>
          ))}
        </select>
      </label>
      <p class="hint">
        {sanitizeLine(description)}
        {facts.length > 0 && ` (${facts.join("; ")})`}
      </p>
      <Word attempt={attempt} />
    </li>
  );
}
