/** Characters; a longer page tells of such questions instead of asking one. */
const longest = 800;

/** Whether a page does nothing but ask its reader to prove to be a person. */
export function isHumanChallenge({ title, text }: { title: string; text: string }): boolean {
  if (text.length > longest) return false;
  return titles.test(title.trim()) || questions.test(text);
}

const titles =
  /^(?:just a moment|attention required|security check|verifying you are human|are you a robot|access denied|百度安全验证|安全验证|人机验证|访问验证|验证码)/i;
const questions =
  /verify(?:ing)? (?:that )?you(?: are|['’]re) (?:a )?human|confirm (?:that )?you are (?:a )?human|(?:are|you['’]re) (?:you )?(?:not )?a robot|checking your browser|enable javascript and cookies to continue|complete the (?:captcha|security check)|unusual traffic from your|完成(?:下方|以下|下列)?(?:安全)?验证|人机验证|安全验证|滑动(?:滑块|验证)|拖动滑块|您的访问(?:过于频繁|出现异常)/i;
