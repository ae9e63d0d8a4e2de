import { plans } from '@atrium/core/billing/plans'
import { type Plan, plan } from '@atrium/core/tenants/tenants'
import { Radio, Text } from '@mantine/core'
import classes from './create-tenant.module.css'
import { planLabels, planStorage } from './plans.ts'

/** The plans side by side, each with what it gives: for staff of a partner, who grant one. */
export function PlanCards({ value, onChange }: { value: Plan; onChange: (plan: Plan) => void }) {
  return (
    <Radio.Group aria-label="Plan" value={value} onChange={(next) => onChange(plan.parse(next))}>
      <div className={classes.plans}>
        {plans.map((each) => (
          <PlanCard
            key={each}
            value={each}
            name={planLabels[each].name}
            fact={planStorage(each)}
            about={planLabels[each].suits}
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
 * How somebody begins who pays themselves: every workplace has the free plan until it subscribes to
 * another one.
 */
export function BeginningCards({ subscribes, onChange }: BeginningProps) {
  return (
    <Radio.Group
      aria-label="Plan"
      value={subscribes ? 'subscribe' : 'free'}
      onChange={(next) => onChange(next === 'subscribe')}
    >
      <div className={classes.plans}>
        <PlanCard
          value="free"
          name={planLabels.free.name}
          fact={`${planStorage('free')}, no card`}
          about={`${planLabels.free.suits} You can subscribe at any time.`}
        />
        <PlanCard
          value="subscribe"
          name="A paid plan"
          fact="Prices come next"
          about="The workplace is created first. Then you see the plans with their prices, and choose plan and seats. Nothing is charged before."
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
    <Radio.Card value={value} className={classes.plan} aria-label={`${name}, ${fact}`}>
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
