local Vector = {}
Vector.__index = Vector

function Vector.new(x, y)
  return setmetatable({ x = x, y = y }, Vector)
end

function Vector.__add(a, b)
  return Vector.new(a.x + b.x, a.y + b.y)
end

function Vector:length()
  return math.sqrt(self.x * self.x + self.y * self.y)
end

function Vector:scaled(factor)
  if factor == 1 then
    return self
  end
  return Vector.new(self.x * factor, self.y * factor)
end

local function nearest(point, others)
  local best, distance
  for _, other in ipairs(others) do
    local current = Vector.new(other.x - point.x, other.y - point.y):length()
    if distance == nil or current < distance then
      best = other
      distance = current
    end
  end
  return best, distance
end

return { Vector = Vector, nearest = nearest }
