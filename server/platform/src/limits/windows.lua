-- Counts in several windows at once. A window is a number that expires when the window closes.
--
-- KEYS are the windows. One that is named several times is counted as often. ARGV[1] is the action, followed by two numbers for each window: its limit and its length in
-- milliseconds, or for `give_back` the time at which the window closes and 0.
--
-- Returns the one-based index of the first full window or 0, and then for each window up to that one: its count, the
-- milliseconds until it closes (negative if it is not open), and for `reserve` the time at which it closes.

local action = ARGV[1]
local result = {0}

local function report(key, count, left)
  result[#result + 1] = count
  result[#result + 1] = left
  -- Only what is reserved may be given back.
  result[#result + 1] = action == 'reserve' and redis.call('PEXPIRETIME', key) or 0
end

local function add(n)
  local key, length = KEYS[n], tonumber(ARGV[2 * n + 1])
  local count = redis.call('INCR', key)
  local left = count == 1 and -1 or redis.call('PTTL', key)
  if left < 0 then
    redis.call('PEXPIRE', key, length)
    left = length
  end
  report(key, count, left)
  return count
end

if action == 'take' then
  for n = 1, #KEYS do
    if add(n) > tonumber(ARGV[2 * n]) then
      result[1] = n
      return result
    end
  end
  return result
end

if action == 'give_back' then
  for n, key in ipairs(KEYS) do
    local count = tonumber(redis.call('GET', key) or 0)
    if count > 0 and redis.call('PEXPIRETIME', key) == tonumber(ARGV[2 * n]) then
      count = redis.call('DECR', key)
    end
    report(key, count, redis.call('PTTL', key))
  end
  return result
end

local named = {}
for n, key in ipairs(KEYS) do
  local count = tonumber(redis.call('GET', key) or 0)
  report(key, count, redis.call('PTTL', key))
  named[key] = (named[key] or 0) + 1
  if count + named[key] > tonumber(ARGV[2 * n]) then
    result[1] = n
    return result
  end
end
if action == 'reserve' then
  result = {0}
  for n = 1, #KEYS do
    add(n)
  end
end
return result
