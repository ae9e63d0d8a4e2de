import { demoPassword, demoPeople } from '@atrium/core/demo/demo'
import { Hono } from 'hono'
import { type Fault, FaultInput, faultModes } from '../faults.ts'
import { html, type Markup, page } from '../page.ts'
import { type SystemName, systemNames } from '../system-names.ts'
import type { ControlParts, HostedSystem } from './parts.ts'

const shownCalls = 12

/** Faults that a button switches on and off. */
const common: readonly {
  label: string
  fault: Pick<Fault, 'mode'> & { delayMs?: number; status?: number }
}[] = [
  { label: 'Slow (2 s)', fault: { mode: 'latency', delayMs: 2_000 } },
  { label: 'No answer', fault: { mode: 'timeout' } },
  { label: '503', fault: { mode: 'error', status: 503 } },
  { label: 'Connection reset', fault: { mode: 'reset' } },
  { label: 'Garbage', fault: { mode: 'garbage' } },
  { label: 'Wrong shape', fault: { mode: 'shape' } },
]

const inDns: typeof common = [
  ...common.filter(
    ({ fault }) => fault.mode === 'latency' || fault.mode === 'timeout' || fault.mode === 'garbage',
  ),
  { label: 'SERVFAIL', fault: { mode: 'servfail' } },
  { label: 'Truncated', fault: { mode: 'truncated' } },
]
const commonOf = (name: SystemName) => (name === 'dns' ? inDns : common)

/** `GET /`, and the forms on it. They work without JavaScript and return the page again. */
export function peoplePages(parts: ControlParts): Hono {
  const { faults } = parts
  const app = new Hono()

  const show = (fault?: string) => {
    const { body, headers } = page({
      title: 'Atrium sandbox',
      wide: true,
      body: overview(parts, fault),
    })
    return new Response(body, { status: fault === undefined ? 200 : 400, headers })
  }
  app.get('/', () => show())

  app.post('/faults/form', async (c) => {
    const form = await c.req.formData()
    const text = (name: string) => String(form.get(name) ?? '').trim()
    if (text('remove') !== '') faults.remove(text('remove'))
    else if (text('clear') !== '') faults.clear()
    else {
      const number = (name: string) => (text(name) === '' ? undefined : Number(text(name)))
      const provided = {
        system: text('system'),
        mode: text('mode'),
        match: text('match') || undefined,
        status: number('status'),
        delayMs: number('delayMs'),
        times: number('times'),
        after: text('after') === 'yes' ? true : undefined,
      }
      const parsed = FaultInput.safeParse(provided)
      if (!parsed.success)
        return show(
          parsed.error.issues.map((issue) => `${issue.path.join('.')}: ${issue.message}`).join(' '),
        )
      faults.add(parsed.data)
    }
    return c.redirect('/', 303)
  })
  app.post('/reset/form', (c) => {
    parts.reset()
    return c.redirect('/', 303)
  })
  return app
}

function overview(parts: ControlParts, problem: string | undefined): Markup {
  const active = parts.faults.list()
  return html`<h1>Atrium sandbox</h1><p class="soft">Stand-ins for the upstream systems of a local workplace. They answer as the real ones do.</p>
${problem !== undefined && html`<p class="alert" role="alert">${problem}</p>`}
<section class="card" aria-labelledby="active"><h2 id="active">Active faults</h2>${activeFaults(active)}</section>
${parts.systems.map((hosted) => systemCard(hosted, active))}
<section class="card" aria-labelledby="webhooks"><h2 id="webhooks">webhooks</h2><p><a href="/webhooks">Received webhooks</a></p></section>
${customFault()}
<section class="card" aria-labelledby="people"><h2 id="people">Demo people</h2><p>The password of all of them is <code>${demoPassword}</code>.</p>
<ul>${demoPeople.map((person) => html`<li>${person.name}, <code>${person.email}</code></li>`)}</ul></section>
<section class="card" aria-labelledby="reset"><h2 id="reset">Start over</h2><p>Puts every system back to its seed and clears faults and calls.</p>
<form method="post" action="/reset/form"><button>Back to the seed</button></form></section>`
}

function activeFaults(active: readonly Fault[]): Markup {
  if (active.length === 0) return html`<p class="soft">None. Every system works.</p>`
  return html`<ul>${active.map((fault) => html`<li><form class="row" method="post" action="/faults/form"><span>${describe(fault)}</span><button class="plain" name="remove" value="${fault.id}" aria-label="Switch off: ${describe(fault)}">Switch off</button></form></li>`)}</ul>
<form method="post" action="/faults/form"><button class="plain" name="clear" value="all">Switch all off</button></form>`
}

function describe(fault: Fault): string {
  const parts = [
    `${fault.system}: ${fault.mode}`,
    fault.match !== undefined && `on "${fault.match}"`,
    fault.status !== undefined && `status ${fault.status}`,
    fault.delayMs !== undefined && `after ${fault.delayMs} ms`,
    fault.times !== undefined && `${fault.times} more`,
    fault.after && 'once the call is carried out',
    `${fault.hits} hit`,
  ]
  return parts.filter((part) => typeof part === 'string').join(', ')
}

function systemCard({ system, calls, addresses }: HostedSystem, active: readonly Fault[]): Markup {
  return html`<section class="card" aria-labelledby="${system.name}"><h2 id="${system.name}">${system.name}</h2>
<p>${addresses.map((address) => html`${address.startsWith('http') ? html`<a href="${address}">${address}</a>` : html`<code>${address}</code>`} `)}</p>${system.name === 'mail' && html`<p><a href="/calendars">Calendars of the mailboxes</a></p>`}
<div class="row" role="group" aria-label="Common faults of ${system.name}">${commonOf(system.name).map((one) => faultButton(system.name, one, active))}</div>
<h3>Recent calls</h3>${recentCalls(calls.list())}</section>`
}

function faultButton(
  system: SystemName,
  { label, fault }: (typeof common)[number],
  active: readonly Fault[],
): Markup {
  const on = active.find(
    (one) =>
      one.system === system && one.mode === fault.mode && one.match === undefined && !one.after,
  )
  if (on) {
    return html`<form method="post" action="/faults/form"><button name="remove" value="${on.id}" aria-pressed="true">${label}: on</button></form>`
  }
  return html`<form method="post" action="/faults/form"><input type="hidden" name="system" value="${system}"><input type="hidden" name="mode" value="${fault.mode}">${
    fault.delayMs !== undefined &&
    html`<input type="hidden" name="delayMs" value="${fault.delayMs}">`
  }${fault.status !== undefined && html`<input type="hidden" name="status" value="${fault.status}">`}<button class="plain" aria-pressed="false">${label}</button></form>`
}

function recentCalls(calls: ReturnType<HostedSystem['calls']['list']>): Markup {
  if (calls.length === 0) return html`<p class="soft">None yet.</p>`
  return html`<div class="scroll" role="region" aria-label="Recent calls" tabindex="0"><table><thead><tr><th scope="col">At</th><th scope="col">Call</th><th scope="col">Status</th><th scope="col">ms</th></tr></thead><tbody>${calls
    .slice(-shownCalls)
    .reverse()
    .map(
      (call) =>
        html`<tr><td>${call.at.slice(11, 19)}</td><td><code>${call.method} ${call.path} ${call.operations?.join(', ')}</code>${call.fault && html` <b>${call.fault.mode}</b>`}</td><td>${call.status === 0 ? 'none' : call.status}</td><td>${call.ms}</td></tr>`,
    )}</tbody></table></div>`
}

function customFault(): Markup {
  const options = (names: readonly string[]) => names.map((name) => html`<option>${name}</option>`)
  const numberField = (name: string, label: string) =>
    html`<label for="${name}">${label}</label><input id="${name}" name="${name}" inputmode="numeric" pattern="[0-9]*">`
  return html`<section class="card" aria-labelledby="custom"><h2 id="custom">A fault of your own</h2><form method="post" action="/faults/form">
<label for="system">System</label><select id="system" name="system">${options(systemNames)}</select>
<label for="mode">What happens</label><select id="mode" name="mode">${options(faultModes)}</select>
<label for="match">Only calls that contain (method and path, or a JMAP method)</label><input id="match" name="match" placeholder="POST /api/v3/core/users/">
${numberField('status', 'Status, for error')}${numberField('delayMs', 'Delay in milliseconds')}${numberField('times', 'How many calls (empty: all)')}
<label for="after">When</label><select id="after" name="after"><option value="">before the call is carried out</option><option value="yes">after the call is carried out</option></select>
<div class="actions"><button>Switch on</button></div></form></section>`
}
