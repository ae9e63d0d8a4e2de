/**
 * The style of the API reference: system fonts, both colour schemes, one column on phones and two
 * for operations where there is room.
 */
export const style = `
:root { color-scheme: light dark; --ink: #1b2733; --soft: #4c5a67; --line: #d5dce2; --ground: #fff; --raised: #f4f6f8; --accent: #0b5cad; --code: #10202f; --code-ink: #e6edf3;
  font: 16px/1.55 system-ui, sans-serif; color: var(--ink); background: var(--ground) }
@media (prefers-color-scheme: dark) { :root { --ink: #e4eaf0; --soft: #a9b6c2; --line: #2f3b46; --ground: #11181f; --raised: #19222b; --accent: #7ab8f5; --code: #0b1117 } }
* { box-sizing: border-box }
body { margin: 0 }
a { color: var(--accent) }
a:focus-visible, summary:focus-visible, input:focus-visible, textarea:focus-visible, button:focus-visible, pre:focus-visible { outline: 2px solid var(--accent); outline-offset: 2px }
code, pre { font: .875em/1.5 ui-monospace, SFMono-Regular, Menlo, Consolas, monospace; overflow-wrap: anywhere }
h1 { font-size: 1.75rem; line-height: 1.2; margin: 0 0 .5rem } h2 { font-size: 1.25rem; margin: 1.75rem 0 .25rem } .operation h2 { margin-top: 0 } h3 { font-size: 1rem; margin: 1.5rem 0 .25rem }
h4 { font-size: .875rem; margin: 1rem 0 .25rem; color: var(--soft) }
p { margin: .25rem 0 }
.skip { position: absolute; left: -100vw } .skip:focus { left: 1rem; top: 1rem; background: var(--ground); padding: .5rem }
.top { display: flex; flex-wrap: wrap; gap: .25rem 1.5rem; align-items: baseline; padding: .75rem clamp(1rem, 3vw, 3rem); border-bottom: 1px solid var(--line); background: var(--raised) }
.top a { color: var(--ink) } .top .brand { font-weight: 650; text-decoration: none } .top .sections { display: none }
.page { display: grid; grid-template-columns: 15rem minmax(0, 1fr) }
.page main { grid-column: 2; grid-row: 1 }
.side { grid-column: 1; grid-row: 1; border-right: 1px solid var(--line) }
.side nav { position: sticky; top: 0; max-height: 100vh; overflow-y: auto; padding: 1rem }
.side ul { list-style: none; margin: .75rem 0; padding: 0 }
.side li a { display: block; padding: .3rem .5rem; border-radius: .375rem; color: var(--ink); text-decoration: none }
.side li a:hover { text-decoration: underline } .side li a[aria-current] { background: var(--accent); color: var(--ground) }
main { padding: 2rem clamp(1rem, 3vw, 3rem) 4rem; max-width: 84rem }
.lead { color: var(--soft); max-width: 46rem }
.try { margin-top: 1.5rem; border: 1px solid var(--line); border-radius: .5rem; padding: .5rem 1rem } .try > summary { font-weight: 600 }
.try label { display: block; margin: .75rem 0 } .try input, .try textarea { display: block; width: 100%; margin-top: .25rem; font: inherit; color: inherit; background: var(--ground); border: 1px solid var(--soft); border-radius: .375rem; padding: .5rem .75rem }
.try textarea { font: .875rem/1.5 ui-monospace, SFMono-Regular, Menlo, Consolas, monospace; resize: vertical }
.try button { font: inherit; border: 0; border-radius: .375rem; padding: .5rem 1rem; margin: .5rem 0; color: var(--ground); background: var(--accent); cursor: pointer } .try button:disabled { opacity: .6; cursor: default }
.answer { background: var(--code); color: var(--code-ink); border-radius: .5rem; padding: .75rem 1rem; white-space: pre-wrap; max-height: 30rem; overflow: auto; margin: .5rem 0 }
form.search { display: flex; flex: 1 1 16rem; gap: .5rem; max-width: 34rem }
form.search input { flex: 1; min-width: 0; font: inherit; color: inherit; background: var(--ground); border: 1px solid var(--soft); border-radius: .375rem; padding: .5rem .75rem }
form.search button { font: inherit; border: 0; border-radius: .375rem; padding: .5rem 1rem; color: var(--ground); background: var(--accent); cursor: pointer }
.list { list-style: none; margin: .5rem 0 1.5rem; padding: 0; border-top: 1px solid var(--line) }
.list li { border-bottom: 1px solid var(--line) }
.list a { display: grid; grid-template-columns: 4.5rem minmax(0, 1fr); gap: .25rem .75rem; padding: .5rem .25rem; color: inherit; text-decoration: none }
.list.events a { grid-template-columns: minmax(0, 1fr) } .list.events .about { grid-column: auto }
@media (min-width: 60rem) { .list.events a { grid-template-columns: minmax(0, 1fr) minmax(0, 1fr) } }
.list a:hover { background: var(--raised) } .list .about { grid-column: 2; color: var(--soft) }
@media (min-width: 60rem) { .list a { grid-template-columns: 4.5rem minmax(0, 1fr) minmax(0, 1fr) } .list .about { grid-column: 3 } }
.method { font-weight: 650; font-size: .8125rem } .get { color: #0b5cad } .post { color: #14692e } .put, .patch { color: #8a4b00 } .delete { color: #a8201a }
@media (prefers-color-scheme: dark) { .get { color: #7ab8f5 } .post { color: #7ddb97 } .put, .patch { color: #f2b866 } .delete { color: #ff9d96 } }
.deprecated { border: 1px solid currentcolor; border-radius: .25rem; padding: 0 .375rem; font-size: .75rem; color: #8a4b00 }
@media (prefers-color-scheme: dark) { .deprecated { color: #f2b866 } }
section.operation { display: grid; grid-template-columns: minmax(0, 1fr) minmax(0, 26rem); gap: 0 2.5rem; border-top: 1px solid var(--line); padding: 2rem 0; scroll-margin-top: 1rem }
.operation .head { grid-column: 1 / -1 } .operation .route { display: flex; flex-wrap: wrap; gap: .25rem .75rem; align-items: baseline; margin: .25rem 0 }
.samples { position: sticky; top: 1rem; align-self: start }
.sample { background: var(--code); color: var(--code-ink); border-radius: .5rem; margin: 0 0 1rem; overflow: hidden }
.sample h3, .sample h4 { margin: 0; font-size: .875rem; padding: .5rem 1rem; color: #b8c4cf; border-bottom: 1px solid #2b3947; font-weight: 600 }
.sample pre { margin: 0; padding: .75rem 1rem; white-space: pre-wrap }
.sample > summary { padding: .5rem 1rem; color: #b8c4cf; font-size: .875rem; font-weight: 600 } details.sample[open] > summary { border-bottom: 1px solid #2b3947 }
.sample details summary { padding: .5rem 1rem; color: #9cc9f5 }
.fields { margin: 0 } .fields > div { border-top: 1px solid var(--line); padding: .5rem 0 } .fields dd { margin: 0 }
.type, .limits { color: var(--soft); font-size: .875rem } .required { color: #a8201a; font-size: .8125rem; font-weight: 600 }
@media (prefers-color-scheme: dark) { .required { color: #ff9d96 } }
.fields details { margin: .25rem 0 } .fields details > .fields { border-left: 2px solid var(--line); padding-left: 1rem; margin-top: .25rem }
summary { cursor: pointer; color: var(--accent); padding: .15rem 0 }
.errors { margin: 0 } .errors > div { display: grid; grid-template-columns: 3rem minmax(0, 1fr); gap: .75rem; border-top: 1px solid var(--line); padding: .4rem 0 }
.errors dt { font-weight: 600 } .errors dd { margin: 0; display: flex; flex-wrap: wrap; gap: .1rem .75rem }
.codes { margin: 1rem 0 } .codes > div { display: grid; grid-template-columns: minmax(0, 16rem) 3.5rem minmax(0, 1fr); gap: .1rem 1rem; border-top: 1px solid var(--line); padding: .5rem .25rem; scroll-margin-top: 1rem }
.codes dt, .codes dd { margin: 0 } .codes > div:target { background: var(--raised) }
@media (max-width: 70rem) { section.operation { grid-template-columns: minmax(0, 1fr) } .samples { position: static; margin-top: 1.5rem } }
@media (max-width: 48rem) {
  .page { display: block } .side { border-right: 0; border-top: 1px solid var(--line) } .top .sections { display: inline }
  .side nav { position: static; max-height: none }
  .codes > div { grid-template-columns: minmax(0, 1fr) 3rem } .codes dd:last-child { grid-column: 1 / -1 }
}
`
