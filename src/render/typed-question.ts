/**
 * Returns what was typed of a stored question: without the files and the output of commands that stand fenced behind it for the
 * models. A question that ends otherwise is returned whole.
 */
export function toTypedQuestion(question: string): string {
  for (const { index } of question.matchAll(firstBlock)) {
    let rest = question.slice(index);
    for (let block = nextBlock.exec(rest); block; block = nextBlock.exec(rest)) rest = rest.slice(block[0].length);
    if (rest === "") return question.slice(0, index);
  }
  return question;
}

/** Matches the sentence that explains a series of blocks, and how the first of them begins. */
const firstBlock = /\n\n[^\n]+(?=\n\n<<<(?:file|command) [0-9a-f]{32} ")/g;

/** Matches a block with the sentence before it, if there is one. */
const nextBlock = /^(?:\n\n[^\n]+)?\n\n<<<(file|command) ([0-9a-f]{32}) "[^\n]*\n[\s\S]*?\n\1 \2>>>/;
