import { type Plan, plan, plans } from '@atrium/core/tenants'
import { Radio, Text } from '@mantine/core'
import classes from './create-tenant.module.css'
import { planStorage, planWords } from './plans.ts'

interface Props {
  value: Plan
  onChange: (plan: Plan) => void
}

/** The plans side by side, each with what it gives. */
export function PlanCards({ value, onChange }: Props) {
  return (
    <Radio.Group aria-label="Plan" value={value} onChange={(next) => onChange(plan.parse(next))}>
      <div className={classes.plans}>
        {plans.map((each) => (
          <Radio.Card
            key={each}
            value={each}
            className={classes.plan}
            aria-label={`${planWords[each].name}, ${planStorage(each)} of storage`}
          >
            <span className={classes.planName}>
              <Text span fw={600}>
                {planWords[each].name}
              </Text>
              <Radio.Indicator />
            </span>
            <Text span size="lg" fw={600}>
              {planStorage(each)}
            </Text>
            <Text span size="sm" c="dimmed">
              {planWords[each].suits}
            </Text>
          </Radio.Card>
        ))}
      </div>
    </Radio.Group>
  )
}
