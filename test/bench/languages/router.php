<?php

namespace App;

final class Router
{
    private array $routes = [];

    public function get(string $path, callable $handler): self
    {
        $this->routes['GET'][$path] = $handler;
        return $this;
    }

    public function post(string $path, callable $handler): self
    {
        $this->routes['POST'][$path] = $handler;
        return $this;
    }

    public function handle(string $method, string $path): Response
    {
        foreach ($this->routes[$method] ?? [] as $pattern => $handler) {
            $expression = '#^' . preg_replace('/\{(\w+)\}/', '(?<$1>[^/]+)', $pattern) . '$#';
            if (preg_match($expression, $path, $matches) !== 1) {
                continue;
            }
            try {
                return $handler($matches);
            } catch (NotFound $error) {
                return new Response(404, $error->getMessage());
            }
        }
        return new Response(404, 'There is no such page.');
    }
}
