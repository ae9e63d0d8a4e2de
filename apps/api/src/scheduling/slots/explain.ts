import { errorText } from '@atrium/core/platform/error-text'
import { AppError } from '@atrium/core/platform/errors'
import type { ExplainSlot, SlotExplanation } from '@atrium/core/scheduling/slot-availability'
import { explainStart } from '@atrium/core/scheduling/slot-explanation'
import { isOffered } from '@atrium/core/scheduling/slots'
import { findEventType } from '@atrium/db/scheduling/event-types'
import { findHostsById } from '@atrium/db/scheduling/hosts'
import type { PageLanguage } from '@atrium/messages/languages'
import { slotRuleTexts } from '@atrium/messages/slot-rules'
import type { Context } from '../../rpc/context.ts'
import type { Access } from '../../rpc/guards.ts'
import { readBusy } from '../calendars/busy-times.ts'
import { reasonForHosts } from '../calendars/reason.ts'
import { availabilityFor, onlyStart, type SlotAvailability } from './availability.ts'
import { durationOf, hostsWhoTake } from './bookable.ts'

/**
 * Why a start of one of the tenant's event types is on offer or is not, rule by rule for each host.
 * Also of an event type that is switched off. Throws AppError `not_found`, `invalid_input`,
 * `calendar_unavailable`, `host_not_connected`.
 */
export async function explainSlot(
  { services, request }: Context,
  { tenant }: Access,
  input: ExplainSlot,
): Promise<SlotExplanation> {
  const { db } = services.database
  const eventType = await findEventType(db, input.eventTypeId)
  if (!eventType || eventType.tenantId !== tenant.id || eventType.removedAt) {
    throw new AppError('not_found', errorText('unknownEventTypeId'))
  }
  const minutes = durationOf(eventType, input.duration)
  const start = Date.parse(input.start)
  const now = services.clock.now()
  const hosts = (await findHostsById(db, eventType.hostIds)).filter(
    ({ removedAt }) => removedAt === null,
  )
  const busy = await readBusy(services, hosts, onlyStart(start), { fresh: true }).catch(
    reasonForHosts,
  )
  const explained: SlotExplanation['hosts'] = []
  for (const host of hosts) {
    const offer = await availabilityFor(db, {
      eventType,
      host,
      minutes,
      now,
      span: onlyStart(start),
      busy,
    })
    explained.push({
      id: host.id,
      name: host.name,
      offered: isOffered(offer, start),
      rules: rulesInWords(offer, start, request.language),
    })
  }
  const taking = new Set((await hostsWhoTake(services.database.db, eventType)).map(({ id }) => id))
  const offering = explained.filter(({ id, offered }) => offered && taking.has(id)).length
  const needed = eventType.assignment === 'collective' ? Math.max(1, eventType.hostIds.length) : 1
  return {
    start: new Date(start).toISOString(),
    duration: minutes,
    offered: eventType.active && offering >= needed,
    hosts: explained,
  }
}

function rulesInWords(
  offer: SlotAvailability,
  start: number,
  language: PageLanguage,
): SlotExplanation['hosts'][number]['rules'] {
  const { date, rules } = explainStart(offer, start)
  const text = slotRuleTexts(language)
  const values = {
    day: new Date(date),
    zone: offer.schedule.zone,
    step: offer.settings.stepMinutes,
    notice: offer.settings.noticeMinutes,
  }
  return rules.map(({ rule, passed }) => ({
    rule,
    passed,
    detail: text(`${rule}.${passed ? 'passed' : 'failed'}`, values),
  }))
}
