import { plans } from '@atrium/core/billing/plans'
import { type Plan, plan } from '@atrium/core/tenants/tenants'
import { translations } from '@atrium/ui/messages'
import { Radio, Text } from '@mantine/core'
import classes from './create-tenant.module.css'
import { planStorage } from './plans.ts'

const t = translations('portal.tenants')
const labels = translations('ui.labels')

/** The plans side by side, each with what it gives: for staff of a partner, who grant one. */
export function PlanCards({ value, onChange }: { value: Plan; onChange: (plan: Plan) => void }) {
  return (
    <Radio.Group
      aria-label={t('create.plan.title')}
      value={value}
      onChange={(next) => onChange(plan.parse(next))}
    >
      <div className={classes.plans}>
        {plans.map((each) => (
          <PlanCard
            key={each}
            value={each}
            name={labels(`plans.${each}`)}
            fact={planStorage(each)}
            about={t(`create.plan.suits.${each}`)}
          />
        ))}
      </div>
    </Radio.Group>
  )
}

interface BeginningProps {
  /** Whether plans with prices come next. */
  subscribes: boolean
  onChange: (subscribes: boolean) => void
}

/**
 * How self-paying customers start: every workplace has the free plan until it subscribes to another
 * one.
 */
export function BeginningCards({ subscribes, onChange }: BeginningProps) {
  return (
    <Radio.Group
      aria-label={t('create.plan.title')}
      value={subscribes ? 'subscribe' : 'free'}
      onChange={(next) => onChange(next === 'subscribe')}
    >
      <div className={classes.plans}>
        <PlanCard
          value="free"
          name={labels('plans.free')}
          fact={t('create.plan.freeFact', { storage: planStorage('free') })}
          about={t('create.plan.freeHint')}
        />
        <PlanCard
          value="subscribe"
          name={t('create.plan.paidName')}
          fact={t('create.plan.paidFact')}
          about={t('create.plan.paidHint')}
        />
      </div>
    </Radio.Group>
  )
}

function PlanCard({
  value,
  name,
  fact,
  about,
}: {
  value: string
  name: string
  fact: string
  about: string
}) {
  return (
    <Radio.Card
      value={value}
      className={classes.plan}
      aria-label={t('create.plan.option', { name, fact })}
    >
      <span className={classes.planName}>
        <Text span fw={600}>
          {name}
        </Text>
        <Radio.Indicator />
      </span>
      <Text span size="lg" fw={600}>
        {fact}
      </Text>
      <Text span size="sm" c="dimmed">
        {about}
      </Text>
    </Radio.Card>
  )
}
