import { emailTemplates } from '@atrium/core/branding/email-templates'
import { templateKeys } from '@atrium/core/branding/template-keys'
import { writeText } from '@atrium/core/platform/errors'
import { startTestApp, type TestApp } from '@atrium/testing/test-app'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { templateFaults } from '../src/branding/check.ts'
import { customPartMs, renderMessage } from '../src/branding/render.ts'
import { sampleValues } from '../src/branding/samples.ts'

let testApp: TestApp
let token: string

beforeAll(async () => {
  testApp = await startTestApp({ provisioned: false })
  token = await testApp.token('admin@acme.test')
}, 60_000)
afterAll(() => testApp[Symbol.asyncDispose]())

const path = '/tenants/acme/branding'
const get = () => testApp.request('GET', path, { token })
const put = (body: object) => testApp.request('PUT', path, { token, body })
const preview = (body: object) => testApp.request('POST', `${path}/preview`, { token, body })
const templateOf = (body: { templates: { key: string; override: unknown }[] }, key: string) =>
  body.templates.find((template) => template.key === key)
const text = { subject: 'Hello {{ member.name }}', text: 'Welcome to {{ product.name }}' }
const lastAudit = () =>
  testApp.database.db
    .selectFrom('audit_events')
    .selectAll()
    .orderBy('at', 'desc')
    .orderBy('id', 'desc')
    .executeTakeFirst()

describe('branding', () => {
  it('stands on the tenant until it is set, and lists every message with what it may use', async () => {
    const { status, body } = await testApp.request('GET', '/tenants/globex/branding', {
      token: await testApp.token('owner@globex.test'),
    })
    expect(status).toBe(200)
    expect(body).toMatchObject({
      productName: null,
      accentColor: null,
      effective: { productName: 'Globex', accentColor: expect.stringMatching(/^#[0-9a-f]{6}$/) },
      updatedAt: null,
    })
    expect(body.templates.map(({ key }: { key: string }) => key)).toEqual(templateKeys)
    for (const { override, standard, variables } of body.templates) {
      expect(override).toBeNull()
      expect(standard).toEqual({
        subject: expect.any(String),
        html: expect.any(String),
        text: expect.any(String),
      })
      expect(variables).toContainEqual({
        name: 'product.name',
        description: expect.any(String),
        sample: expect.any(String),
      })
    }
  })

  it('describes the messages in the language of the reader', async () => {
    const { body } = await testApp.request('GET', '/tenants/globex/branding', {
      token: await testApp.token('owner@globex.test'),
      headers: { 'accept-language': 'de' },
    })
    const reset = body.templates.find(({ key }: { key: string }) => key === 'member.password_reset')
    expect(reset).toMatchObject({
      title: 'Passwort zurückgesetzt',
      description: 'Geht an ein Mitglied, wenn ein Admin dessen Passwort zurückgesetzt hat.',
    })
    expect(reset.variables).toContainEqual({
      name: 'admin.name',
      description: 'Der Admin, der gehandelt hat',
      sample: 'Adam Admin',
    })
  })

  it('shows standard texts in the language of the tenant, else of the reader, or a requested one', async () => {
    const globex = '/tenants/globex/branding'
    const call = async (method: 'GET' | 'POST', to: string, language: string, body?: object) =>
      testApp.request(method, to, {
        token: await testApp.token('owner@globex.test'),
        headers: { 'accept-language': language },
        ...(body && { body }),
      })
    const welcome = async (language: string, query = '') => {
      const { body } = await call('GET', `${globex}${query}`, language)
      const { standard } = body.templates.find(
        ({ key }: { key: string }) => key === 'member.welcome',
      )
      return [body.standardLanguage, standard.subject]
    }
    const preview = async (language: string, input: object = {}) =>
      (await call('POST', `${globex}/preview`, language, { template: 'member.welcome', ...input }))
        .body.subject
    const german = ['de', 'Willkommen bei {{ product.name }}']
    const english = ['en', 'Welcome to {{ product.name }}']
    const set = (language: 'de' | null) =>
      testApp.database.db
        .updateTable('tenants')
        .set({ language })
        .where('slug', '=', 'globex')
        .execute()

    expect([await welcome('de'), await welcome('en'), await welcome('fr')]).toEqual([
      german,
      english,
      english,
    ])
    expect(await preview('de')).toBe('Willkommen bei Globex')
    await set('de')
    expect([await welcome('en'), await welcome('de', '?language=en')]).toEqual([german, english])
    expect(await preview('en')).toBe('Willkommen bei Globex')
    expect(await preview('de', { language: 'en' })).toBe('Welcome to Globex')
    await set(null)
    expect((await call('GET', `${globex}?language=fr`, 'en')).status).toBe(400)
  })

  it('is changed field by field, and null goes back to the standard', async () => {
    expect(await put({ productName: ' Acme Office ', accentColor: '#C2410C' })).toMatchObject({
      status: 200,
      body: {
        productName: 'Acme Office',
        accentColor: '#c2410c',
        effective: { textColor: '#ffffff' },
        warnings: [],
      },
    })
    expect(await lastAudit()).toMatchObject({
      action: 'branding.updated',
      tenant_slug: 'acme',
      metadata: { changes: { productName: [null, 'Acme Office'], accentColor: [null, '#c2410c'] } },
    })
    expect((await put({ productName: null })).body).toMatchObject({
      productName: null,
      accentColor: '#c2410c',
      effective: { productName: 'Acme Engineering' },
    })
    expect(
      (
        await put({
          emailTemplates: { 'member.welcome': { ...text, html: '<p>{{ member.name }}</p>' } },
        })
      ).status,
    ).toBe(200)
    const { body } = await put({ emailTemplates: { 'member.password_reset': text } })
    expect(templateOf(body, 'member.welcome')?.override).toMatchObject({
      ...text,
      html: '<p>{{ member.name }}</p>',
    })
    expect(templateOf(body, 'member.password_reset')?.override).toMatchObject({
      ...text,
      html: null,
    })
    expect(body.accentColor).toBe('#c2410c')
    const reverted = await put({ emailTemplates: { 'member.welcome': null } })
    expect(templateOf(reverted.body, 'member.welcome')?.override).toBeNull()
    expect(templateOf(reverted.body, 'member.password_reset')?.override).not.toBeNull()
    expect((await lastAudit())?.metadata).toMatchObject({
      changes: { 'member.welcome': ['own', 'standard'] },
    })
    expect(reverted.body).toEqual((await get()).body)
  })

  it('that changes nothing is not audited', async () => {
    await put({ accentColor: '#c2410c' })
    const before = await testApp.auditActions()
    expect((await put({ accentColor: '#c2410c' })).status).toBe(200)
    expect(await testApp.auditActions()).toEqual(before)
  })

  it('takes a colour that is hard to see, with the nearest that is not', async () => {
    const { status, body } = await put({ accentColor: '#ffe066' })
    expect(status).toBe(200)
    expect(body.warnings).toMatchObject([{ check: 'light_page', required: 3 }])
    expect((await put({ accentColor: body.warnings[0].nearest })).body.warnings).toEqual([])
  })

  it('works over tRPC', async () => {
    const trpc = testApp.trpc(token)
    const view = await trpc.branding.update.mutate({ slug: 'acme', productName: 'Over tRPC' })
    expect(view).toEqual(await trpc.branding.get.query({ slug: 'acme' }))
    expect(
      (await trpc.branding.preview.mutate({ slug: 'acme', template: 'member.welcome' })).subject,
    ).toBe('Welcome to Over tRPC')
  })

  it('is rejected on a tenant that is suspended or deleted, while reading and previews stay', async () => {
    const change = testApp.database.db.updateTable('tenants').where('slug', '=', 'acme')
    await change.set({ status: 'suspended' }).execute()
    expect(await put({ productName: 'X' })).toMatchObject({
      status: 409,
      body: { code: 'tenant_suspended' },
    })
    expect([(await get()).status, (await preview({ template: 'member.welcome' })).status]).toEqual([
      200, 200,
    ])
    await change.set({ status: 'deleted', deleted_at: new Date() }).execute()
    expect(await put({ productName: 'X' })).toMatchObject({
      status: 409,
      body: { code: 'tenant_deleted' },
    })
    await change.set({ status: 'active', deleted_at: null }).execute()
  })

  it('tells for each field what is wrong, and saves nothing then', async () => {
    const before = (await get()).body
    const rejected = await put({
      productName: 'a\u202eb',
      accentColor: 'red',
      emailTemplates: {
        'member.unknown': text,
        'member.welcome': { subject: 'a\nb', text: '', extra: 1 },
      },
      logo: 'x',
    })
    expect(rejected).toMatchObject({ status: 400, body: { code: 'invalid_input' } })
    const paths = rejected.body.issues.map((issue: { path: string }) => issue.path)
    expect(paths).toEqual(
      expect.arrayContaining([
        'productName',
        'accentColor',
        'emailTemplates.member.welcome.subject',
        'logo',
      ]),
    )
    expect((await put({})).status).toBe(400)
    const liquid = await put({
      productName: 'Not saved',
      emailTemplates: {
        'member.welcome': {
          subject: '{{ nobody }}',
          html: '<p>\n  {% include "x" %}</p>',
          text: '{% if member.name %}',
        },
        'member.password_reset': text,
      },
    })
    expect(liquid.body.issues).toEqual([
      {
        path: 'emailTemplates.member.welcome.subject',
        message: expect.stringMatching(
          /^Line 1, column 4: there is no “nobody” here\. Available are /,
        ),
      },
      {
        path: 'emailTemplates.member.welcome.html',
        message: 'Line 2, column 3: the tag “include” is not available.',
      },
      {
        path: 'emailTemplates.member.welcome.text',
        message: expect.stringMatching(/^Line 1, column 1: .*not closed/),
      },
    ])
    expect((await get()).body).toEqual(before)
  })
})

describe('a preview', () => {
  it('shows the standard, then the own text, then the draft, and saves none of it', async () => {
    await put({
      productName: 'Previewed',
      accentColor: '#c2410c',
      emailTemplates: { 'booking.moved': null },
    })
    const standard = await preview({ template: 'booking.moved' })
    expect(standard.status).toBe(200)
    expect(standard.body.subject).toBe('Moved: Introduction call, Tuesday, 14 July 2026')
    expect(standard.body.html).toContain('#c2410c')
    expect(standard.body.text).toContain('guest@example.org, second@example.org')
    await put({
      emailTemplates: { 'booking.moved': { subject: 'Own {{ booking.title }}', text: 'Own' } },
    })
    const own = await preview({ template: 'booking.moved' })
    expect(own.body).toEqual({
      subject: 'Own Introduction call',
      html: null,
      text: 'Own',
      warnings: [],
    })
    const before = (await get()).body
    const draft = await preview({
      template: 'booking.moved',
      draft: {
        subject: 'Draft',
        html: '<b>{{ product.name }} {{ product.accentColor }}</b>',
        text: '{{ tenant.name }}',
      },
      productName: 'Draft & Co',
      accentColor: '#ffe066',
    })
    expect(draft.body).toMatchObject({
      subject: 'Draft',
      html: '<b>Draft &amp; Co #ffe066</b>',
      text: 'Acme Engineering',
    })
    expect(draft.body.warnings).toMatchObject([{ check: 'light_page' }])
    expect((await preview({ template: 'member.welcome', productName: null })).body.subject).toBe(
      'Welcome to Acme Engineering',
    )
    expect((await get()).body).toEqual(before)
  })

  it('of a saved text that a later version no longer takes says so', async () => {
    await put({ emailTemplates: { 'booking.reminder': { subject: 'Soon', text: 'Soon' } } })
    await testApp.database.db
      .updateTable('email_templates')
      .set({ text: '{{ booking.gone }}' })
      .where('key', '=', 'booking.reminder')
      .execute()
    const response = await preview({ template: 'booking.reminder' })
    expect(response).toMatchObject({ status: 400, body: { issues: [{ path: 'template.text' }] } })
    await put({ emailTemplates: { 'booking.reminder': null } })
  })

  it('of a draft that could not be saved says where', async () => {
    const response = await preview({
      template: 'member.welcome',
      draft: { subject: 'a', text: 'one\n{{ booking.title }}' },
    })
    expect(response).toMatchObject({ status: 400, body: { code: 'invalid_input' } })
    expect(response.body.issues).toEqual([
      {
        path: 'draft.text',
        message: expect.stringMatching(/^Line 2, column 4: there is no “booking\.title”/),
      },
    ])
  })
})

describe('a template', () => {
  it('that is ours is rendered however busy the machine is, one of somebody else is not', () => {
    using now = vi.spyOn(performance, 'now')
    let time = 0
    now.mockImplementation(() => (time += 1_000))
    const standard = emailTemplates['member.welcome'].standard('en')
    const values = sampleValues('member.welcome')
    expect(renderMessage(standard, values).text).toContain('Welcome, Mira Member')
    expect(() => renderMessage(standard, values, customPartMs)).toThrow('render limit')
  })

  const faults = (html: string) =>
    templateFaults('booking.confirmed', { subject: 'x', html, text: 'y' }, 'p').map(({ message }) =>
      writeText(message, 'en'),
    )

  it.each(templateKeys)('that is ours can be used: %s', (key) => {
    expect(templateFaults(key, emailTemplates[key].standard('en'), 'p')).toEqual([])
    const message = renderMessage(emailTemplates[key].standard('en'), sampleValues(key))
    expect(`${message.subject}${message.html}${message.text}`).not.toMatch(
      /\{\{|\{%|undefined|\[object/,
    )
  })

  it.each([
    '{{ booking.title | upcase | truncate: 10 }}',
    '{% if booking.location != "" %}a{% elsif booking.guests.size > 1 %}b{% else %}c{% endif %}',
    '{% for guest in booking.guests limit: 1 %}{{ guest }} {{ forloop.index }}{% else %}none{% endfor %}',
    '{% assign parts = "a,b" | split: "," %}{% for part in parts %}{{ part }}{% endfor %}',
    '{% case booking.timeZone %}{% when "Europe/Berlin" %}a{% else %}b{% endcase %}',
    '{% unless booking.location == blank %}a{% endunless %}{% comment %}{{ not.known }}{% endcomment %}{% raw %}{{ x }}{% endraw %}',
    '{{ "a..b" }} {{ booking["title"] }}',
  ])('may be %s', (html) => {
    expect(faults(html)).toEqual([])
  })

  it.each([
    ['{{ booking }}', /there is no “booking”/],
    ['{{ booking.secret }}', /there is no “booking\.secret”/],
    ['{{ booking[reason] }}', /there is no/],
    ['{{ booking.title.constructor }}', /there is no/],
    ['{{ constructor }}', /there is no/],
    ['{{ __proto__ }}', /there is no/],
    ['{% if user == 1 %}{% endif %}', /there is no “user”/],
    ['{{ booking.title | append: user }}', /there is no “user”/],
    ['{{ forloop.index }}', /there is no/],
    ['{% assign x = "a" %}{{ x.y }}', /undefined variable: x\.y/],
    ['{{ booking.title | raw }}', /undefined filter: raw/],
    ['{{ booking.title | date: "%9999999999d" }}', /undefined filter: date/],
    ['{{ booking.guests | json }}', /undefined filter: json/],
    ['{% include "a" %}', /the tag “include”/],
    ['{% render "/etc/passwd" %}', /the tag “render”/],
    ['{% layout "a" %}', /the tag “layout”/],
    ['{% capture x %}{% endcapture %}', /the tag “capture”/],
    ['{% liquid echo 1 %}', /the tag “liquid”/],
    ['{% tablerow x in booking.guests %}{% endtablerow %}', /the tag “tablerow”/],
    ['{% nonsense %}', /the tag “nonsense”/],
    ['{% if %}a{% endif %}', /invalid value/],
    ['{% if true %}a', /not closed/],
    ['{{ booking.title', /not closed/],
    ['{% endif %}', /not found/],
    ['{% for i in (1..9) %}{% endfor %}', /ranges/],
    ['{% assign n = "9" %}{% for i in (n..1) %}{% endfor %}', /ranges/],
    ['{{ (1..1000000000) | join }}', /ranges/],
    ['{% if true %}'.repeat(11), /more than 10 deep/],
    ['{% if true %}'.repeat(4000), /more than 10 deep/],
    ['{{ booking.title }}'.repeat(1_001), /more than 1000 tags and outputs/],
    [`{% assign a = "xx" %}${'{% assign a = a | append: a %}'.repeat(40)}`, /more time or memory/],
    [
      '{{ booking.title | replace: "", "xxxxxxxxxxxxxxxxxxxxxxxx" | replace: "", "xxxxxxxxxxxxxxxxxxxxxxxx" | replace: "", "xxxxxxxxxxxxxxxxxxxxxxxx" | replace: "", "xxxxxxxxxxxxxxxxxxxxxxxx" }}',
      /more time or memory/,
    ],
    [
      `{% assign s = "${'x,'.repeat(2000)}" | split: "," %}{% for a in s %}{% for b in s %}${'y'.repeat(500)}{% endfor %}{% endfor %}`,
      /longer than 300000/,
    ],
  ])('may not be %s', (html, reason) => {
    expect(faults(html)).toMatchObject([expect.stringMatching(reason)])
  })

  it('that loops on and on is stopped', () => {
    const html = `{% assign s = "${'x,'.repeat(2000)}" | split: "," %}{% for a in s %}{% for b in s %}{% for c in s %}{% endfor %}{% endfor %}{% endfor %}`
    // To its end it would take minutes.
    expect(faults(html)).toMatchObject([expect.stringMatching(/more time or memory/)])
  })

  it('has its values escaped in html, whatever the filters, and its subject on one line', () => {
    const evil = `<script>alert("1")</script>'&\r\nBcc: everybody@example.org`
    const values = {
      ...sampleValues('booking.cancelled'),
      reason: evil,
      tenant: { name: [evil] },
    } as never
    const html = [
      '{{ reason }}',
      '{{ reason | escape }}',
      '{{ reason | newline_to_br }}',
      '{{ reason | append: "<b>" }}',
      '{{ reason | escape | append: "" }}',
      '{{ reason | default: "<i>" }}',
      '{{ tenant.name }}',
      '{% assign x = reason %}{{ x }}',
      '{{ reason | split: "" | join: "" }}',
    ].join('|')
    const message = renderMessage({ subject: '{{ reason }}', html, text: '{{ reason }}' }, values)
    expect(message.html?.replaceAll('<br>', '')).not.toMatch(/[<>"']/)
    expect(message.html).toContain('<br>\nBcc:')
    expect(message.text).toBe(evil)
    expect(message.subject).toBe(`<script>alert("1")</script>'& Bcc: everybody@example.org`)
  })
})
