import { limits } from '@atrium/core/platform/limits'
import { invite } from '@atrium/testing/invitations'
import { giveMailbox } from '@atrium/testing/mailboxes'
import { recordMeasurement } from '@atrium/testing/measurements'
import { type MembersTestApp, startMembersTestApp } from '@atrium/testing/members-test-app'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { attack, createTally, unique } from './abuse.ts'

let testApp: MembersTestApp
beforeAll(async () => {
  testApp = await startMembersTestApp({
    // The test app allows more, for its own people.
    env: {
      LIMITS: `workplaces_person_day=${limits.workplaces_person_day.most},workplaces_person=${limits.workplaces_person.most}`,
    },
    sandbox: { identity: { accessTokenSeconds: 3_600 } },
  })
}, 120_000)
afterAll(() => testApp[Symbol.asyncDispose]())

const company = `company-${unique()}.example.com`

it('one account takes few names and keeps nobody from a domain that is theirs', async () => {
  const token = await testApp.token('newcomer@example.test')
  const tally = createTally()
  const slugs: string[] = []
  const names = await attack(30, async () => {
    const response = await testApp.request('POST', '/tenants', {
      token,
      body: { name: `Known name ${unique()}`, respondAsync: true },
    })
    tally.add(response)
    if (response.status === 201) slugs.push(response.body.slug)
  })
  let claimed = 0
  const claims = await attack(60, async (n) => {
    const domain =
      n % 10 === 0 ? 'gmail.com' : n % 10 === 1 ? company : `name-${unique()}.example.com`
    const response = await testApp.request('POST', `/tenants/${slugs[n % slugs.length]}/domains`, {
      token,
      body: { domain },
    })
    tally.add(response)
    if (response.status === 201) {
      claimed += 1
      expect(domain).not.toBe('gmail.com')
    }
  })
  // The owner of the domain adds it, and its people are invited elsewhere, as if it had never been
  // claimed.
  const owner = await testApp.request('POST', '/tenants/acme/domains', {
    token: testApp.as.admin,
    body: { domain: company },
  })
  const person = await invite(testApp, 'globex', { email: `ceo@${company}` }, testApp.as.outsider)
  const unproven = 10
  const reached =
    slugs.length <= limits.workplaces_person_day.most &&
    claimed <= slugs.length * unproven &&
    owner.status === 201 &&
    person.body.code === null &&
    tally.failed().length === 0
  await recordMeasurement({
    target: 'S23',
    what: 'squatting of workplace names and domains by one account',
    measured: `${names + claims} requests (${tally.text()}), ${slugs.length} workplaces, at most ${limits.workplaces_person_day.most}, ${claimed} unproven claims; the owner of a claimed domain adds it: ${owner.status}, and its people are invited: ${person.body.code === null}`,
    reached,
  })
  expect(slugs.length).toBeLessThanOrEqual(limits.workplaces_person_day.most)
  expect(claimed).toBeLessThanOrEqual(slugs.length * unproven)
  expect([owner.status, person.body.code]).toEqual([201, null])
  expect(tally.failed()).toEqual([])
}, 240_000)

it('one mailbox takes few addresses', async () => {
  const id = await testApp.idOf('member@acme.test')
  await giveMailbox(testApp, { slug: 'acme', userId: id, localPart: 'collector' })
  const tally = createTally()
  const tried = await attack(limits.aliases.most + 20, async (n) => {
    const address = `${unique()}@acme.tenants.local`
    tally.add(
      n % 2
        ? await testApp.call('POST', '/aliases', { address, userId: id })
        : await testApp.call('POST', `/users/${id}/aliases`, { address }),
    )
  })
  const { items } = (await testApp.call('GET', `/users/${id}/aliases`)).body
  await recordMeasurement({
    target: 'S23',
    what: 'squatting of addresses by one mailbox',
    measured: `${tried} requests (${tally.text()}), ${items.length} aliases, at most ${limits.aliases.most}`,
    reached: items.length <= limits.aliases.most && tally.failed().length === 0,
  })
  expect(items.length).toBeGreaterThan(0)
  expect(items.length).toBeLessThanOrEqual(limits.aliases.most)
  expect(tally.failed()).toEqual([])
}, 240_000)
