package cache

import (
	"errors"
	"sync"
	"time"
)

var ErrMissing = errors.New("cache: missing")

type item struct {
	value   []byte
	expires time.Time
}

// Cache keeps values until they expire.
type Cache struct {
	mu    sync.Mutex
	items map[string]item
	now   func() time.Time
}

func New(now func() time.Time) *Cache {
	if now == nil {
		now = time.Now
	}
	return &Cache{items: make(map[string]item), now: now}
}

func (c *Cache) Get(key string) ([]byte, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	found, ok := c.items[key]
	if !ok {
		return nil, ErrMissing
	}
	if c.now().After(found.expires) {
		delete(c.items, key)
		return nil, ErrMissing
	}
	return found.value, nil
}

func (c *Cache) Set(key string, value []byte, ttl time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.items[key] = item{value: value, expires: c.now().Add(ttl)}
	for old, entry := range c.items {
		if c.now().After(entry.expires) {
			delete(c.items, old)
		}
	}
}
