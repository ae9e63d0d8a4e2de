import { Hono } from 'hono'
import { z } from 'zod'
import type { ListedEvent, Outcome, PeopleCalendars } from '../mail/calendars/people.ts'
import type { Json } from '../mail/json.ts'
import { html, type Markup, page } from '../page.ts'
import { readJson } from './bodies.ts'

const json: z.ZodType<Json> = z.json()
const EventInput = z.strictObject({ email: z.string(), event: z.record(z.string(), json) })
const PatchInput = z.record(z.string(), json)

const shown = [
  ['busy', 'Busy', {}],
  ['tentative', 'Tentative', { status: 'tentative' }],
  ['free', 'Shown as free', { freeBusyStatus: 'free' }],
  ['secret', 'Confidential', { privacy: 'secret' }],
] as const
const repetitions = [
  ['', 'Once', undefined],
  ['daily', 'Every day', { frequency: 'daily' }],
  ['weekly', 'Every week', { frequency: 'weekly' }],
] as const

/**
 * What people do in their calendars with a mail client: as JSON for tests, and as a page with
 * forms.
 */
export function calendarRoutes(calendars: PeopleCalendars): Hono {
  const app = new Hono()

  app.get('/calendars/events', (c) => c.json({ mailboxes: calendars.list() }))
  app.post('/calendars/events', async (c) => {
    const { email, event } = await readJson(c.req.raw, EventInput)
    return response(calendars.add(email, event), 201)
  })
  app.patch('/calendars/events/:email/:id', async (c) =>
    response(
      calendars.change(
        c.req.param('email'),
        c.req.param('id'),
        await readJson(c.req.raw, PatchInput),
      ),
      200,
    ),
  )
  app.delete('/calendars/events/:email/:id', (c) =>
    response(calendars.remove(c.req.param('email'), c.req.param('id')), 200),
  )
  app.patch('/calendars/settings/:email', async (c) =>
    response(calendars.settings(c.req.param('email'), await readJson(c.req.raw, PatchInput)), 200),
  )

  const show = (problem?: string) => {
    const { body, headers } = page({
      title: 'Calendars of the sandbox',
      wide: true,
      body: overview(calendars, problem),
    })
    return new Response(body, { status: problem === undefined ? 200 : 400, headers })
  }
  app.get('/calendars', () => show())
  app.post('/calendars/form', async (c) => {
    const form = await c.req.formData()
    const text = (name: string) => String(form.get(name) ?? '').trim()
    const [email, remove] = [text('email'), text('remove')]
    const outcome =
      remove === '' ? calendars.add(email, eventOf(text)) : calendars.remove(email, remove)
    return 'rejected' in outcome ? show(outcome.rejected) : c.redirect('/calendars', 303)
  })
  return app
}

function response(outcome: Outcome, status: 200 | 201): Response {
  return 'rejected' in outcome
    ? Response.json({ error: outcome.rejected }, { status: 400 })
    : Response.json(outcome, { status })
}

function eventOf(text: (name: string) => string) {
  const [, , look] = shown.find(([name]) => name === text('look')) ?? shown[0]
  const rule = repetitions.find(([name]) => name === text('repeats'))?.[2]
  const zone = text('zone')
  return {
    title: text('title'),
    start: `${text('start')}:00`,
    duration: `PT${text('minutes')}M`,
    ...(zone !== '' && { timeZone: zone }),
    ...look,
    ...(rule && { recurrenceRule: rule }),
  }
}

function overview(calendars: PeopleCalendars, problem: string | undefined): Markup {
  const mailboxes = Object.entries(calendars.list())
  return html`<h1>Calendars</h1><p class="soft">What stands in the mailboxes' calendars, and what a host may add with a mail client. <a href="/">All stand-ins</a></p>
${problem !== undefined && html`<p class="alert" role="alert">${problem}</p>`}
${mailboxes.length === 0 && html`<section class="card"><p>No mailbox has opened its calendar yet. Connect a mailbox of a host, or add an event.</p></section>`}
${mailboxes.map(([address, events], index) => mailboxCard(address, events, index))}
${addForm(mailboxes.map(([address]) => address))}`
}

function mailboxCard(address: string, events: readonly ListedEvent[], index: number): Markup {
  return html`<section class="card" aria-labelledby="mailbox-${index}"><h2 id="mailbox-${index}">${address}</h2>${
    events.length === 0
      ? html`<p class="soft">Nothing in it.</p>`
      : html`<div class="scroll" role="region" aria-label="Events of ${address}" tabindex="0"><table><thead><tr><th scope="col">From (UTC)</th><th scope="col">To (UTC)</th><th scope="col">What</th><th scope="col">How</th><th scope="col">Remove</th></tr></thead><tbody>${events.map((one) => row(address, one))}</tbody></table></div>`
  }</section>`
}

function row(address: string, { id, title, start, end, event }: ListedEvent): Markup {
  const moment = (at: number | undefined) =>
    at === undefined ? 'never' : new Date(at).toISOString().slice(0, 16).replace('T', ' ')
  const repeats = event.recurrenceRule !== undefined && event.recurrenceRule !== null
  const how = [
    event.status,
    event.freeBusyStatus,
    event.privacy,
    repeats ? 'repeats' : undefined,
  ].filter((one) => typeof one === 'string')
  return html`<tr><td class="whole">${moment(start)}</td><td class="whole">${moment(end)}</td><td>${title}</td><td>${how.join(', ')}</td><td><form method="post" action="/calendars/form"><input type="hidden" name="email" value="${address}"><button class="plain" name="remove" value="${id}" aria-label="Remove ${title}">Remove</button></form></td></tr>`
}

function addForm(addresses: readonly string[]): Markup {
  const options = (all: readonly (readonly [string, string, unknown])[]) =>
    all.map(([value, label]) => html`<option value="${value}">${label}</option>`)
  return html`<section class="card" aria-labelledby="add"><h2 id="add">Add an event</h2><form method="post" action="/calendars/form">
<label for="email">Mailbox</label><input id="email" name="email" type="email" required list="addresses"><datalist id="addresses">${addresses.map((address) => html`<option value="${address}"></option>`)}</datalist>
<label for="title">Title</label><input id="title" name="title" value="Busy">
<label for="start">Starts</label><input id="start" name="start" type="datetime-local" required>
<label for="minutes">Minutes</label><input id="minutes" name="minutes" inputmode="numeric" pattern="[0-9]+" required value="60">
<label for="zone">Time zone (empty: that of the calendar)</label><input id="zone" name="zone" value="Europe/Berlin">
<label for="look">Looks like</label><select id="look" name="look">${options(shown)}</select>
<label for="repeats">Happens</label><select id="repeats" name="repeats">${options(repetitions)}</select>
<div class="actions"><button>Add</button></div></form></section>`
}
