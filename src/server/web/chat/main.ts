// The page at `/`. Its markup, by element and class, for the style and the tests:
//
// body > div.app[data-drawer=open|closed]
//   a.skip                                    to the message field; seen when it has the focus
//   aside.side#side                           the conversations; a drawer on narrow screens
//     header.side-head > strong.brand, button.close-drawer (narrow screens alone)
//     button.new
//     nav > ul.conversations > li.conversation[data-current=true|false][data-mark=running|waits|""] > button.open-conversation (span.title, span.facts), button.delete
//     button.more, p.none
//     label.field.language > select#language; dialog.confirm-delete > p, div.actions > button.danger, button
//   div.scrim                                 behind the drawer while it is open (narrow screens alone)
//   div.main
//     header.top > button.open-drawer (narrow screens alone), h1, span.mode-now[data-mode]
//     p.connection[role=status]               the connection was lost; out of sight else
//     main.talk#talk                          the one part that scrolls
//       section.welcome > h2, p, ul.modes > li > button.choose-mode[aria-pressed] (strong, span.hint)
//       ol.turns > li.turn[data-status] or li.note
//         div.asked > div.question[data-folded=true|false] (what was asked), button.unfold (a long one)
//         div.run[data-status] > div.bar > p.status[data-status]
//           ul.notices, section.plan, section.steps, div.ask (see below), the answer part, div.copying > button.copy, div.problem, p.advice > button,
//           details.fold-bill > summary, section.bill
//           button.load-steps                 of an older run
//       button.to-end                         to the newest, while one has scrolled away
//     p.problem (outside of runs), p.visually-hidden[role=status] (the text for screen readers)
//     form.composer
//       textarea.message#message, p.message-word[role=status] (why it is not sent)
//       section.settings > div.controls > label.field.mode (select#mode_selector), label.switch.search (input[type=checkbox][role=switch]#search_switch),
//           button.open-settings[aria-expanded], button.stop (while a run goes on) or button.send
//         p.hints > span.hint#mode_help, span.hint#search_help
//         div.more-settings > fieldset.role > legend, label.field > select, div.parameters > label.field > input.number
// body > dialog.sign-in > form > h2, p, label.field > input[type=password], p.problem, div.actions > button.primary
// div.ask[data-kind=call|plan|form|url] > strong.ask-title, p.words, pre.arguments (call), ol (plan), div.fields > div.field (form), p.address (url),
//   div.actions > button.primary, button, button.danger, textarea.change (plan)
// Everywhere: .hint and .facts are small and muted, .primary is the one button that stands out, .danger says no or takes away,
// .visually-hidden is for screen readers, [hidden] is out of sight.
import { startChat } from "./start-chat.ts";

void startChat(window);
