import { useState } from "preact/hooks";
import { sanitizeLine } from "../../../../../kit/text/sanitize.ts";
import type { OperatorApprovals } from "../../api/operator.ts";
import { changeTexts } from "../../state/operator-change-texts.ts";
import { usePage, useSay } from "../page-model.ts";
import { useAttempt, Word } from "./attempt.tsx";

type Approval = OperatorApprovals["approvals"][number];

/** Shows tools that wait for approval, what was approved beside what is offered now, and approves them. */
export function ApprovalList({ approvals: first }: OperatorApprovals) {
  const say = useSay();
  const [approvals, setApprovals] = useState(first);
  return (
    <>
      <p class="hint">{say(changeTexts.approvalsHelp)}</p>
      {approvals.length === 0 && <p role="status">{say(changeTexts.noApprovals)}</p>}
      <ul class="cards">
        {approvals.map((approval) => (
          <ApprovalCard key={approval.id} approval={approval} onChange={(read) => setApprovals(read.approvals)} />
        ))}
      </ul>
    </>
  );
}

interface CardProps {
  readonly approval: Approval;
  onChange(read: OperatorApprovals): void;
}

function ApprovalCard({ approval, onChange }: CardProps) {
  const { operator } = usePage();
  const say = useSay();
  const attempt = useAttempt();
  const { id, server, name, kind, list, lines } = approval;
  const shownName = sanitizeLine(name);
  return (
    <li class="card" aria-label={shownName}>
      <h3>
        {shownName} <span class="facts">{sanitizeLine(server)}</span>{" "}
        <span class="badge" data-state={kind}>
          {list && `${say(changeTexts[list])} · `}
          {say(changeTexts[kind])}
        </span>
      </h3>
      <Sides lines={lines} label={shownName} hasBefore={kind === "changed"} />
      <div class="actions">
        <button
          type="button"
          class={kind === "trusted" ? undefined : "primary"}
          disabled={attempt.isBusy}
          aria-label={`${say(changeTexts.approve)} ${shownName}`}
          onClick={() => attempt.run(async () => onChange(await operator.approve([id])))}
        >
          {say(changeTexts.approve)}
        </button>
      </div>
      <Word attempt={attempt} />
    </li>
  );
}

interface SidesProps {
  readonly lines: Approval["lines"];
  readonly label: string;
  readonly hasBefore: boolean;
}

function Sides({ lines, label, hasBefore }: SidesProps) {
  const say = useSay();
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a part that scrolls is reached by the keyboard
    // biome-ignore lint/a11y/useSemanticElements: a set of fields would be a part of a form
    <div class="data-table sides" role="group" aria-label={label} tabIndex={0}>
      <table>
        <thead>
          <tr>
            {hasBefore && <th scope="col">{say(changeTexts.before)}</th>}
            <th scope="col">{say(changeTexts.after)}</th>
          </tr>
        </thead>
        <tbody>
          {pairLines(lines).map(({ before, after }, index) => (
            <tr key={index}>
              {hasBefore && <Side text={before} other={after} sign="-" />}
              <Side text={after} other={before} sign="+" />
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

interface SideProps {
  readonly text: string | undefined;
  readonly other: string | undefined;
  readonly sign: "+" | "-";
}

function Side({ text, other, sign }: SideProps) {
  return <td data-sign={text !== undefined && text !== other ? sign : undefined}>{sanitizeLine(text ?? "")}</td>;
}

interface LinePair {
  readonly before: string | undefined;
  readonly after: string | undefined;
}

/** Puts what was taken away beside what was added in its place. */
export function pairLines(lines: Approval["lines"]): LinePair[] {
  const pairs: LinePair[] = [];
  let removed: string[] = [];
  let added: string[] = [];
  const endRun = (): void => {
    for (let index = 0; index < Math.max(removed.length, added.length); index += 1)
      pairs.push({ before: removed[index], after: added[index] });
    removed = [];
    added = [];
  };
  for (const { sign, text } of lines) {
    // A line that is taken away after one was added begins the next difference.
    if (sign === " " || (sign === "-" && added.length > 0)) endRun();
    if (sign === "-") removed.push(text);
    else if (sign === "+") added.push(text);
    else pairs.push({ before: text, after: text });
  }
  endRun();
  return pairs;
}
