import { createHash } from 'node:crypto'

/** Text that is HTML already. Made by `html` only. */
export class Markup {
  readonly text: string

  constructor(text: string) {
    this.text = text
  }
}

type Part = Markup | string | number | undefined | false | readonly Markup[]

const entities: Record<string, string> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}

/** A piece of HTML; every value is escaped unless it is markup itself. */
export function html(strings: TemplateStringsArray, ...parts: readonly Part[]): Markup {
  const show = (part: Part): string => {
    if (part === undefined || part === false) return ''
    if (part instanceof Markup) return part.text
    if (typeof part === 'object') return part.map((one) => one.text).join('')
    return String(part).replace(/[&<>"']/g, (character) => entities[character] ?? character)
  }
  return new Markup(strings.reduce((text, string, index) => text + show(parts[index - 1]) + string))
}

const style = `
:root{color-scheme:light dark;--back:#f4f5f7;--card:#fff;--text:#1b1f26;--soft:#5b6472;--line:#cfd5de;--accent:#2f5bd7;--on:#fff;--bad:#b42318;--good:#0b7a3e}
@media (prefers-color-scheme:dark){:root{--back:#14171c;--card:#1d2128;--text:#eceff4;--soft:#a5afbd;--line:#3a424f;--accent:#8fb0ff;--on:#10131a;--bad:#ff9b8f;--good:#6ddc9a}}
*{box-sizing:border-box}
body{margin:0;background:var(--back);color:var(--text);font:16px/1.5 system-ui,sans-serif}
main{max-width:26rem;margin:0 auto;padding:2rem 1rem}
main.wide{max-width:64rem}
.card{background:var(--card);border:1px solid var(--line);border-radius:.75rem;padding:1.25rem;margin:0 0 1rem}
h1{font-size:1.5rem;line-height:1.2;margin:0 0 .25rem}
h3{font-size:.95rem;margin:1rem 0 .25rem}
h2{font-size:1.05rem;margin:1.25rem 0 .5rem}
.card>h2:first-child{margin-top:0}
p{margin:.25rem 0 .75rem}
.soft{color:var(--soft)}
a{color:var(--accent)}
label{display:block;font-weight:600;margin:.75rem 0 .25rem}
input,select,textarea{width:100%;font:inherit;color:inherit;background:var(--back);border:1px solid var(--soft);border-radius:.5rem;padding:.55rem .7rem}
button{font:inherit;font-weight:600;border:1px solid var(--accent);background:var(--accent);color:var(--on);border-radius:.5rem;padding:.55rem .9rem;cursor:pointer}
button.plain{background:transparent;color:var(--text);border-color:var(--line);font-weight:400}
button.person{display:block;width:100%;text-align:left;margin:0 0 .5rem}
.row form{margin:0}
button.person b{display:block}
:focus-visible{outline:3px solid var(--accent);outline-offset:2px}
.actions{margin-top:1rem}
.alert{border-left:4px solid var(--bad);padding:.5rem .75rem;margin:0 0 1rem;background:var(--card)}
.row{display:flex;flex-wrap:wrap;gap:.5rem;align-items:center}
.scroll{overflow-x:auto}
table{border-collapse:collapse;width:100%;font-size:.9rem}
th,td{text-align:left;padding:.35rem .5rem;border-bottom:1px solid var(--line);vertical-align:top}
code{font-size:.9em;overflow-wrap:anywhere}
pre{margin:0;white-space:pre-wrap}
.whole,.whole code{white-space:nowrap;overflow-wrap:normal}
`

const styleHash = createHash('sha256').update(style).digest('base64')

export interface PageInput {
  readonly title: string
  readonly body: Markup
  /** For tables; a narrow card otherwise. */
  readonly wide?: boolean
  /** Origins besides this one that a form may lead to, also through redirects. */
  readonly formTargets?: readonly string[]
}

/** A whole page: its HTML, and the headers that go with it. No script, nothing from elsewhere. */
export function page(input: PageInput): { body: string; headers: Record<string, string> } {
  const forms = ["'self'", ...(input.formTargets ?? [])].join(' ')
  const body = html`<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width,initial-scale=1"><title>${input.title}</title><style>${new Markup(style)}</style></head>
<body><main${input.wide ? new Markup(' class="wide"') : ''}>${input.body}</main></body></html>
`
  return {
    body: body.text,
    headers: {
      'content-type': 'text/html; charset=utf-8',
      'cache-control': 'no-store',
      'content-security-policy': `default-src 'none'; style-src 'sha256-${styleHash}'; form-action ${forms}; base-uri 'none'; frame-ancestors 'none'`,
      'referrer-policy': 'no-referrer',
      'x-content-type-options': 'nosniff',
    },
  }
}
